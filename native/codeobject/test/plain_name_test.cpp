#include <gtest/gtest.h>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {
namespace {

TEST(PlainName, IsTheNameWithoutReturnTypeTemplateArgumentsAndParameters) {
  EXPECT_EQ(plain_name("void ns::scale<float, 4>(float*, int)"), "ns::scale");
  EXPECT_EQ(plain_name("a::(anonymous namespace)::k(int, int)"), "a::(anonymous namespace)::k");
  EXPECT_EQ(plain_name("std::pair<int, (bool)1> f<(3 > 2)>(int)"), "f");
  EXPECT_EQ(plain_name("scale"), "scale");
}

TEST(PlainName, KeepsTheSymbolOfAnOperator) {
  EXPECT_EQ(plain_name("ns::F::operator()(int) const"), "ns::F::operator()");
  EXPECT_EQ(plain_name("void ns::F<int>::operator()<float>(float*)"), "ns::F::operator()");
  EXPECT_EQ(plain_name("bool operator< <int>(V<int>, V<int>)"), "operator<");
  EXPECT_EQ(plain_name("V operator<<(V, int)"), "operator<<");
  EXPECT_EQ(plain_name("V& V::operator->*(int)"), "V::operator->*");
  EXPECT_EQ(plain_name("V::operator[](int)"), "V::operator[]");
  EXPECT_EQ(plain_name("V operator+(V, V)"), "operator+");
  EXPECT_EQ(plain_name("V::operator unsigned int() const"), "V::operator unsigned int");
  EXPECT_EQ(plain_name("operator new[](unsigned long)"), "operator new[]");
}

TEST(PlainName, TakesNoBracketOfAnOperatorForOneOfAList) {
  EXPECT_EQ(plain_name("void k<&(ns::operator<(V, V))>(int)"), "k");
  EXPECT_EQ(plain_name("void k<&ns::F::operator->>(int*)"), "k");
  EXPECT_EQ(plain_name("void my_operator<int>(int)"), "my_operator");
  EXPECT_EQ(plain_name("operators(int)"), "operators");
}

// Names as a demangler prints them for such kernels.
TEST(PlainName, OfDemangledNames) {
  EXPECT_EQ(plain_name(demangle("_ZNK1FclEi")), "F::operator()");
  EXPECT_EQ(plain_name(demangle("_ZN2nsltIiEEbT_S1_")), "ns::operator<");
  EXPECT_EQ(plain_name(demangle("_ZN1FcvjEv")), "F::operator unsigned int");
}

}  // namespace
}  // namespace kernloop::codeobject
