#include "interpose/pass.S"

    instead_of toy_add, "libtoy."
    instead_of toy_sum, "libtoy."
    instead_of hipGetProcAddress, "libtoy."
    pass toy_weigh, "libother libtoy."
