"""How a result is written out. Nothing is decided here; a report says what the result holds.

Each kind of result has a module, or a folder, in which `page` says what there is to show. `terminal` and `markdown`
write any page, `annotations` has the formats of programs that collect findings, and `html` the pages that a browser
draws.
`registry` names the writer of each kind of result in each format.
"""
