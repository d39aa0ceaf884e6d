#!/usr/bin/env python3
"""Writes trajectories.txt: where PyTorch's optimisers go.

Run by hand where PyTorch 2.x can be imported (../generate.py says how):

    /tmp/pt/bin/python tests/golden/optim/trajectories.py

A line is `optimiser dtype problem option=value... | option=value... : values | values | ...`. Options behind the
first `|` before the colon are those of a second group, which has the parameters from the third on; the first group
sets none of its own. Values are all parameters after a step, elements in their order, the parts of complex numbers
after each other; for LBFGS also the loss that the step returned, and the number of evaluations so far.

Problem `given`: gradients are numbers of a formula (`given_gradient`), and some are missing. Problems `valley` and
`line`: gradients come from backward() of `loss_of`. The test has the same formulas.
"""

import pathlib

import torch

STEPS = {"given": 5, "valley": 4, "line": 3}
DTYPES = {"f32": torch.float32, "f64": torch.float64, "c128": torch.complex128}
SHAPES = {"given": [(2, 3), (4,), (), (1, 2)], "valley": [(2,), (2, 1)], "line": [(3,), ()]}


def fractions(count, seed, dtype):
    """Eighths from -1 to 1, which all dtypes hold."""
    parts = 2 if dtype.is_complex else 1
    real = torch.tensor([((7 * i + seed) % 17 - 8) / 8 for i in range(count * parts)], dtype=torch.float64)
    return torch.view_as_complex(real.view(count, 2)).to(dtype) if parts == 2 else real.to(dtype)


def start(problem, dtype):
    found = []
    for k, shape in enumerate(SHAPES[problem]):
        count = torch.Size(shape).numel()
        found.append(fractions(count, 3 * k + 1, dtype).view(shape).clone().requires_grad_())
    return found


def given_gradient(p, k, step):
    """The gradient of parameter k; None for the last one, and for the second in the third step."""
    if k == 3 or (k == 1 and step == 2):
        return None
    return fractions(p.numel(), 13 * step + 5 * k, p.dtype).view(p.shape) / (1 + step)


def loss_of(problem, params):
    a, b = params
    if problem == "valley":  # Rosenbrock's, twice
        b = b.view(-1)
        return (100 * (b - a * a) ** 2 + (1 - a) ** 2).sum()
    x = fractions(18, 2, a.dtype).view(6, 3)
    y = fractions(6, 5, a.dtype)
    return ((x @ a + b - y) ** 2).mean()


def numbers(params):
    return [v for p in params for v in torch.view_as_real(p.detach()).flatten().tolist()] if params[0].is_complex() else \
           [v for p in params for v in p.detach().flatten().tolist()]


def text_of(values, dtype):
    return " ".join(f"{v:.9g}" if dtype == "f32" else f"{v:.17g}" for v in values)


def options_text(options):
    def one(v):
        if isinstance(v, bool):
            return str(int(v))
        return ",".join(map(repr, v)) if isinstance(v, tuple) else str(v)
    return " ".join(f"{k}={one(v)}" for k, v in options.items())


def run(name, dtype, problem, options, second=None):
    params = start(problem, DTYPES[dtype])
    groups = [{"params": params}] if second is None else [{"params": params[:2]}, {"params": params[2:], **second}]
    kwargs = dict(options)
    if name != "LBFGS":
        kwargs["foreach"] = False
    optimizer = getattr(torch.optim, name)(groups, **kwargs)
    steps = []
    for step in range(STEPS[problem]):
        extra = []
        if problem == "given":
            for k, p in enumerate(params):
                p.grad = given_gradient(p, k, step)
            optimizer.step()
        else:
            def closure():
                optimizer.zero_grad()
                loss = loss_of(problem, params)
                loss.backward()
                return loss
            loss = optimizer.step(closure)
            if name == "LBFGS":
                extra = [loss.item(), optimizer.state[params[0]]["func_evals"]]
        steps.append(text_of(numbers(params) + extra, dtype))
    head = " ".join([name, dtype, problem, options_text(options)]).strip()
    if second is not None:
        head += " | " + options_text(second)
    return head + " : " + " | ".join(steps)


def cases():
    sgd = [dict(lr=0.1), dict(lr=0.1, weight_decay=0.25), dict(lr=0.05, momentum=0.9),
           dict(lr=0.05, momentum=0.9, dampening=0.25), dict(lr=0.05, momentum=0.9, nesterov=True),
           dict(lr=0.05, momentum=0.5, weight_decay=0.125, nesterov=True),
           dict(lr=0.05, momentum=0.5, dampening=0.5, weight_decay=0.125), dict(lr=0.0, momentum=0.5)]
    adam = [dict(), dict(lr=0.1), dict(lr=0.1, betas=(0.5, 0.75)), dict(lr=0.1, eps=0.125),
            dict(lr=0.1, weight_decay=0.25), dict(lr=0.1, amsgrad=True),
            dict(lr=0.1, betas=(0.5, 0.25), amsgrad=True), dict(lr=0.1, betas=(0.0, 0.0)),
            dict(lr=0.05, betas=(0.75, 0.5), eps=0.5, weight_decay=0.125, amsgrad=True)]
    lbfgs = [dict(lr=0.01), dict(lr=0.01, max_iter=4), dict(lr=0.02, history_size=2, max_iter=9),
             dict(line_search_fn="strong_wolfe"), dict(lr=0.5, line_search_fn="strong_wolfe", max_iter=6),
             dict(line_search_fn="strong_wolfe", history_size=3, max_iter=7, max_eval=6),
             dict(line_search_fn="strong_wolfe", tolerance_grad=0.5), dict(lr=0.01, tolerance_change=0.01)]
    for dtype in ("f32", "f64", "c128"):
        for name, all_options in (("SGD", sgd), ("Adam", adam), ("AdamW", adam)):
            for options in all_options:
                yield name, dtype, "given", options
    for dtype in ("f32", "f64"):
        yield "SGD", dtype, "given", dict(lr=0.1, momentum=0.5), dict(lr=0.01, nesterov=True)
        yield "SGD", dtype, "given", dict(lr=0.1), dict(momentum=0.5)
        yield "Adam", dtype, "given", dict(lr=0.1, betas=(0.5, 0.75)), dict(weight_decay=0.25)
        yield "AdamW", dtype, "given", dict(lr=0.1), dict(betas=(0.5, 0.75), lr=0.2)
        for name in ("SGD", "Adam", "AdamW"):
            yield name, dtype, "line", dict(lr=0.1)
        yield "Adam", dtype, "valley", dict(lr=0.01)
        for options in lbfgs:
            yield "LBFGS", dtype, "line", options
    for options in lbfgs:
        yield "LBFGS", "f64", "valley", options


def main():
    torch.set_num_threads(1)
    path = pathlib.Path(__file__).with_suffix(".txt")
    lines = [run(*case) for case in cases()]
    path.write_text(f"# Where PyTorch {torch.__version__} goes, written by trajectories.py: do not edit.\n" +
                    "\n".join(lines) + "\n")
    print(len(lines), "lines")


if __name__ == "__main__":
    main()
