// A kernel without any header, so that its bundles stay small.
extern "C" __attribute__((global)) void tiny(int* out) {
  *out = 1;
}
