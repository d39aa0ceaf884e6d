"""The cases of bench/cases/elements.cpp in NumPy and PyTorch, for peers.py. Compilers of tensors
have no place here: sizes depend on values, and nothing fuses."""


def shuffled(np, shape, seed):
    """What bench/case.cpp makes: a random permutation of 2**24 numbers, divided by that number."""
    last = 2**24 - 1
    place = (np.arange(int(np.prod(shape)), dtype=np.int64) + (seed + 1) * 1000003) & last
    for odd in (10368889, 14058331, 7027927):
        place = place * odd & last
        place ^= place >> 11
    return (place * 2.0**-24).reshape(shape)


def value_of(np, shape, seed, low, high, kind):
    """An input of bench/cases/elements.cpp, or None for the kinds of all cases."""
    if kind == "mask":  # low: the share of true elements
        return shuffled(np, shape, seed) < low
    if kind == "plane":
        rows, columns = shape
        x = np.linspace(-2, 1, columns, dtype=np.float32)
        y = np.linspace(-1.5, 1.5, rows, dtype=np.float32)[:, None]
        return (x + 1j * y).astype(np.complex64)
    if kind and kind.startswith("random "):
        return (shuffled(np, shape, seed) * (high - low) + low).astype(kind.removeprefix("random "))
    return None


def few(n):
    return max(10, n // 1000)


def life(zeros_like, roll, cast):
    def step(a):
        n = zeros_like(a)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    n = n + roll(a, (dy, dx), (0, 1))
        return cast((n == 3) | ((n == 2) & (a == 1)))
    return step


def mandelbrot(L, count_like):
    def times(c):
        z, mask, count = L.zeros_like(c), L.ones_like(c, dtype=L.bool), count_like(c)
        for _ in range(20):
            z[mask] = z[mask] * z[mask] + c[mask]
            mask = mask & (abs(z) <= 2)
            count += mask
        return count
    return times


def average(m, x):
    for i in range(len(x)):
        m = 0.9 * m + 0.1 * x[i]
    return m


def put(x, mask):
    x[mask] = 2
    return x


def numpy_calls(np, n):
    """NumPy orders values alone, and has no running logarithm of a sum but that of its ufunc. Of
    its ways to add at places add.at is the fastest."""
    random = np.random.default_rng(1)

    def add(to, x, places):
        to = to.copy()
        np.add.at(to, places, x)
        return to

    return {
        "cumsum": np.cumsum, "cumprod": np.cumprod, "logcumsumexp": np.logaddexp.accumulate,
        "chosen": lambda x, mask: x[mask], "x[half] = v": put,
        "nonzero": np.nonzero, "gather": np.take,
        "index_select(0)": lambda x, places: np.take(x, places, axis=0),
        "index_select(1)": lambda x, places: np.take(x, places, axis=1),
        "add": add, "isin": np.isin, "median": np.median,
        "kthvalue": lambda x: np.partition(x, n // 2 - 1)[n // 2 - 1],
        "topk": lambda x: np.sort(np.partition(x, n - few(n))[n - few(n):])[::-1], "sort": np.sort,
        "randperm": lambda: random.permutation(n),
        "life": life(np.zeros_like, np.roll, lambda x: x.astype(np.int32)),
        "mandelbrot": mandelbrot(np, lambda c: np.zeros(c.shape, np.int32)),
        "average": lambda x: average(np.float32(0), x),
    }


def torch_calls(torch, n):
    return {
        "cumsum": lambda x: x.cumsum(0), "cumprod": lambda x: x.cumprod(0),
        "logcumsumexp": lambda x: x.logcumsumexp(0),
        "chosen": lambda x, mask: x[mask], "x[half] = v": put,
        "nonzero": lambda mask: mask.nonzero(), "gather": lambda x, places: x.gather(0, places),
        "index_select(0)": lambda x, places: x.index_select(0, places),
        "index_select(1)": lambda x, places: x.index_select(1, places),
        "add": lambda to, x, places: to.scatter_add(0, places, x),
        "index_add": lambda to, x, places: to.index_add(0, places, x),
        "isin": torch.isin, "median": lambda x: x.median(),
        # Indices are computed too; only values are compared.
        "kthvalue": lambda x: x.kthvalue(n // 2).values, "topk": lambda x: x.topk(few(n)).values,
        "sort": lambda x: x.sort().values, "randperm": lambda: torch.randperm(n),
        "life": life(torch.zeros_like, torch.roll, lambda x: x.to(torch.int32)),
        "mandelbrot": mandelbrot(torch, lambda c: torch.zeros(c.shape, dtype=torch.int32)),
        "average": lambda x: average(torch.zeros(()), x),
    }


def inputs(case, n):
    """The inputs of a case as (shape, low, high, kind), as in peers.build; None: no such case."""
    columns = 100 if n <= 1000 else 1000
    flat, table = (n,), (n // columns, columns)
    side, rows = round(n**0.5), round((n * 3 / 4) ** 0.5)
    x, differing = (flat, -3, 3, None), (flat, 0, 1, "random float32")
    half, places = (flat, 0.5, None, "mask"), (flat, 0, n, "random int64")

    def selected(count):
        return [(table, -3, 3, None), ((count,), 0, count, "random int64")]

    return {
        "cumsum": [x], "cumprod": [(flat, 0.999, 1.001, None)], "logcumsumexp": [x],
        "x[half]": [differing, half], "x[most]": [differing, (flat, 0.99, None, "mask")],
        "x[half] 2-D": [(table, 0, 1, "random float32"), (table, 0.5, None, "mask")],
        "x[half] = v": [differing, half],
        "nonzero": [half], "nonzero 2-D": [(table, 0.5, None, "mask")], "gather": [x, places],
        "index_select(0)": selected(n // columns), "index_select(1)": selected(columns),
        "scatter_add": [x, x, places], "index_add": [x, x, places],
        "isin": [(flat, 0, 1000, "random int64"), ((100,), 0, 1000, "random int64")],
        "median": [differing], "kthvalue": [differing], "topk": [differing], "sort": [differing],
        "randperm": [], "life": [((side, side), 0, 2, "random int32")],
        "mandelbrot": [((rows, n // rows), None, None, "plane")], "average": [x],
    }.get(case)


other_names = {"x[half]": "chosen", "x[most]": "chosen", "x[half] 2-D": "chosen", "nonzero 2-D": "nonzero",
               "scatter_add": "add", "index_add": "add"}


def build(name, module, case, n):
    """(inputs, function of them) of a case for a peer; None: it has no such case."""
    given = inputs(case, n)
    if given is None or name not in ("numpy", "torch"):
        return None
    calls = numpy_calls(module, n) if name == "numpy" else torch_calls(module, n)
    return given, calls[case] if case in calls else calls[other_names[case]]
