// Everything.
#pragma once

#include <sinter/builder.hpp>
#include <sinter/dtype.hpp>
#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/functions.hpp>
#include <sinter/indexing.hpp>
#include <sinter/info.hpp>
#include <sinter/limits.hpp>
#include <sinter/mode.hpp>
#include <sinter/options.hpp>
#include <sinter/scalar.hpp>
#include <sinter/stats.hpp>
#include <sinter/tensor.hpp>
#include <sinter/threads.hpp>
