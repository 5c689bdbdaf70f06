"""Reports on a schema, a model, its evidence and its evaluation: facts as plain data, and their renderers.

Each subject has a file: its facts, frozen data classes of plain values, and how they are laid out in `blocks`. Any
blocks become `text` and `html`, any facts JSON (`plain`), so that no face knows more than another. Leans on `model` and
`files`; the command line, notebooks and the scikit-learn face lean on it. Subjects are loaded on demand: the command
line imports `plain` and `characters` before numpy.
"""
