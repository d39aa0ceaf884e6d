// c10::complex is sinter::complex; its functions are in std.
#pragma once

#include <sinter/complex_math.hpp>
