// Takes back what a header of choices has defined.

#undef IFLESS
#undef IFGREATER
#undef IFEQUAL
#undef CHOOSE
#undef IFATMOST
#undef ANDATMOST
#undef UNLESSALL
#undef KEEP
#undef SWAP
#undef FLIP
#undef MIN
#undef SIZE
#undef ONE
#undef HALF
#undef SIGNBIT
#undef MAGNITUDE
#undef ORDINARY
#undef AGAINST
#undef HALFPI
#undef SINCOS
#undef QUARTER
#undef SERIES
