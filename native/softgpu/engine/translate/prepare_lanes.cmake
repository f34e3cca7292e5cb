# cmake -DFROM=… -DTO=… -P prepare_lanes.cmake: LLVM IR of lanes for linking with a module that calls some of them. Only those that it calls are
# linked (linkonce), none is kept after that (no list of used symbols), and all become code of the processor that is there.
file(READ ${FROM} text)
string(REGEX REPLACE "\n@llvm[.a-z]*used = [^\n]*" "" text "${text}")
string(REGEX REPLACE "\ndefine (weak )?dso_local" "\ndefine linkonce_odr dso_local" text "${text}")
string(REGEX REPLACE " \"(target-cpu|target-features|tune-cpu)\"=\"[^\"]*\"" "" text "${text}")
file(WRITE ${TO} "${text}")
