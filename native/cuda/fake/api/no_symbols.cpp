// libcupti.so.13 of the fake: what is in it is in the library that it needs.
