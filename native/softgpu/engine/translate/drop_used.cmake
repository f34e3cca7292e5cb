# cmake -DFROM=… -DTO=… -P drop_used.cmake: LLVM IR without its list of symbols to keep. A module that is linked with these lanes would keep all.
file(READ ${FROM} text)
string(REGEX REPLACE "\n@llvm[.a-z]*used = [^\n]*" "" text "${text}")
file(WRITE ${TO} "${text}")
