// clang includes this header of cuRAND before every CUDA unit, for the order of some declarations. cuRAND is a separate
// package; if it is installed, its header is found before this one.
