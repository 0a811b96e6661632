"""How a result is written out: one module per format. Nothing is decided here; a report says what the result holds."""
