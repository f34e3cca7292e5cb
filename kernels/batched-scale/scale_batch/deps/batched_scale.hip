// ../kernel_variant.hip is compiled in the place of this file.
