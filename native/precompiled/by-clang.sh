#!/bin/sh
# by-clang.sh CLANG COMPILER ARGUMENTS…: what CMake would have COMPILER do, by CLANG (kernloop_test_code of ../CMakeLists.txt). What CLANG
# does not understand is COMPILER's after all, and so is the word on what is wrong with it.
clang=$1
compiler=$2
shift 2
more="-Wno-unknown-warning-option -Wno-unused-command-line-argument"
for word; do
  case $word in
    *.gch)
      # It would be taken for what is to be compiled. Templates that the headers use themselves are instantiated once, in it.
      rm -f "$word"
      more="$more -fpch-instantiate-templates"
      break
      ;;
  esac
done
if said=$("$clang" $more "$@" 2>&1); then
  [ -z "$said" ] || echo "$said" >&2
  exit
fi
exec "$compiler" "$@"
