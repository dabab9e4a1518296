"""BN and ReLU in C, compiled by the machine's own compiler."""
