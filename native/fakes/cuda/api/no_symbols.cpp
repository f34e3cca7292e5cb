// libcupti.so.13 of the fake: its content is in the library that it needs.
