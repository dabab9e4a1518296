"""Identity Mappings in Deep Residual Networks (He et al. 2016), in code.

Rooms, from the bottom up; each imports only from those before it:

`spec`         a residual unit as data; Tables 1 and 2 as dictionaries
`plan`         a network without tensors: depth, widths, strides, boundaries
`paper`        what the paper says: its tables and its recipe
`strings`      words of figures and messages in three languages
`reference`    the networks in NumPy, float64, backward by hand
`nn`           the same networks in PyTorch
`data`         digits and CIFAR, in memory as bytes
`records`      what was measured, in files that are whole
`train`        recipes, and a loop that resumes bit for bit
`propagation`  Eqs. (3) to (8), measured
`figures`      pictures of data they are handed
`book`         what the chapters call: set-up, show, exercises
`cli`          the `preact` command
"""
