"""What each command does, as a function `run` of its arguments; a module is imported when its command is called."""
