// Optimisers: they change parameters by their gradients. A step makes pending statements and
// computes nothing, except for LBFGS, which reads losses. Names and errors are libtorch's.
#pragma once

#include <sinter/optim/adam.hpp>
#include <sinter/optim/lbfgs.hpp>
#include <sinter/optim/optimizer.hpp>
#include <sinter/optim/schedulers.hpp>
#include <sinter/optim/sgd.hpp>
