"""Reports on a schema, a model, its evidence and its evaluation: facts as plain data, and their renderers.

Each subject has a file with its facts, frozen data classes of plain values, and their layout in `blocks`. All blocks
can be rendered as `text` and `html`, and all facts as JSON (`plain`), so every face shows the same. Leans on `model`
and `files`; the command line, notebooks and the scikit-learn face lean on it. Subjects are loaded on demand: the
command line imports `plain` and `characters` before numpy.
"""
