"""What the API server and controllers make of a change that is applied; `table` has it by kind."""
