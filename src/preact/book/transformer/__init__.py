"""A small transformer, its training runs on a text, and how they were made.

`model` is the network, `text` what it reads, `runs` measures and reads what
was recorded, `train` records. The records lie beside them.

Chapter `10-afterlife`.
"""
