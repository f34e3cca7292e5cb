// Owns the header that all tests have precompiled (kernloop_test of ../CMakeLists.txt); as a program it does nothing.
int main() {
  return 0;
}
