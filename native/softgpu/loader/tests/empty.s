// Code of a target, and nothing else.
  .text
  .globl nothing
  .type nothing,@function
nothing:
  s_endpgm
.Lend:
  .size nothing, .Lend-nothing
