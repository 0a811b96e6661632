"""The command line: what commands take is in `arguments`, what they do in `commands`, one module each."""
