// c10::irange is sinter::irange.
#pragma once

#include <sinter/irange.hpp>
