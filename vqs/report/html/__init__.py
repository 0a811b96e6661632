"""The parts of the HTML report: what goes into it as data, and the page around that."""
