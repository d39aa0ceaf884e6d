// The functions that rows are made of, all of them.
#pragma once

#include <sinter/math/activation.hpp>
#include <sinter/math/airy.hpp>
#include <sinter/math/angle.hpp>
#include <sinter/math/arith.hpp>
#include <sinter/math/bessel.hpp>
#include <sinter/math/bessel_kinds.hpp>
#include <sinter/math/division.hpp>
#include <sinter/math/erf.hpp>
#include <sinter/math/exp.hpp>
#include <sinter/math/gamma.hpp>
#include <sinter/math/hyperbolic.hpp>
#include <sinter/math/hypot.hpp>
#include <sinter/math/inverse_hyperbolic.hpp>
#include <sinter/math/inverse_trig.hpp>
#include <sinter/math/log.hpp>
#include <sinter/math/log_add_exp.hpp>
#include <sinter/math/modified_bessel.hpp>
#include <sinter/math/moments.hpp>
#include <sinter/math/neighbour.hpp>
#include <sinter/math/normal.hpp>
#include <sinter/math/pow.hpp>
#include <sinter/math/random.hpp>
#include <sinter/math/shift.hpp>
#include <sinter/math/trig.hpp>
