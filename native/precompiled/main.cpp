// Owns the header that is precompiled for all tests (kernloop_test of ../CMakeLists.txt); as a program it does nothing.
int main() {
  return 0;
}
