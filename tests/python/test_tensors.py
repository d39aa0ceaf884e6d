"""Tensors as Python sees them: making, operators, indices, values, shapes, results, errors."""

import copy
import math
import unittest

import numpy as np

import sinter
import sinter.nn.functional as F


class Making(unittest.TestCase):
    def test_lists(self):
        self.assertEqual(sinter.tensor([[1, 2], [3, 4]]).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(sinter.tensor([[], []]).shape, (2, 0))
        self.assertEqual(sinter.tensor(1.5).shape, ())
        self.assertEqual(sinter.tensor([sinter.tensor(1.5), 2]).tolist(), [1.5, 2.0])
        self.assertEqual(sinter.tensor((np.float32(0.5), 1)).tolist(), [0.5, 1.0])
        self.assertEqual(sinter.tensor([2**62 + 1]).item(), 2**62 + 1)  # not by way of a double

    def test_dtypes_of_lists(self):
        for data, dtype in ((True, sinter.bool), (1, sinter.int64), (1.0, sinter.float32), (1j, sinter.complex64),
                            ([True, 1], sinter.int64), ([1, 1.5], sinter.float32), ([], sinter.float32),
                            ([1, 1j], sinter.complex64), (np.arange(2.0), sinter.float64)):
            self.assertIs(sinter.tensor(data).dtype, dtype, data)
        self.assertIs(sinter.tensor([1], dtype=float).dtype, sinter.float64)
        self.assertIs(sinter.zeros(2, dtype=sinter.half).dtype, sinter.float16)

    def test_errors_of_lists(self):
        for data, error, text in (
                ([[1, 2], [3]], ValueError, "dimension 1; got 1, expected 2"),
                ([[1, 2], 3], ValueError, "different lengths in dimension 1"),
                (["a"], TypeError, "no number; got 'a'"),
                (2**70, TypeError, "an int of 64 bits"),
                (None, TypeError, "no number; got None")):
            with self.assertRaisesRegex(error, text):
                sinter.tensor(data)
        with self.assertRaisesRegex(ValueError, "without overflow; got 300 for Byte"):
            sinter.tensor([300], dtype=sinter.uint8)
        with self.assertRaisesRegex(TypeError, "expected a complex dtype"):
            sinter.tensor([1j], dtype=sinter.float32)
        nested = 1
        for _ in range(100):
            nested = [nested]
        with self.assertRaisesRegex(ValueError, "nested too deeply"):
            sinter.tensor(nested)

    def test_sizes_as_list_or_arguments(self):
        for made in (sinter.zeros(2, 3), sinter.zeros([2, 3]), sinter.zeros((2, 3)), sinter.zeros(size=(2, 3))):
            self.assertEqual(made.shape, (2, 3))
        self.assertEqual(sinter.zeros(()).shape, ())
        self.assertEqual(sinter.zeros(np.int64(3)).shape, (3,))
        x = sinter.arange(6)
        self.assertEqual(x.view(2, 3).shape, x.view((2, 3)).shape)
        self.assertEqual(x.reshape(3, -1).permute(1, 0).shape, (2, 3))
        self.assertEqual(x.view(2, 3).expand(4, -1, -1).shape, (4, 2, 3))
        with self.assertRaisesRegex(TypeError, "sizes are not integers"):
            sinter.zeros(2, 1.5)

    def test_options(self):
        self.assertTrue(sinter.ones(2, requires_grad=True).requires_grad)
        self.assertEqual(sinter.ones(2, device="cpu").device, sinter.device("cpu"))
        with self.assertRaisesRegex(RuntimeError, "Invalid device string: 'gpu'"):
            sinter.ones(2, device="gpu")


class Operators(unittest.TestCase):
    def test_numbers_and_tensors(self):
        x = sinter.tensor([1.0, 2.0, 4.0])
        for made, expected in ((2 * x - 1, [1, 3, 7]), (8 / x, [8, 4, 2]), (x**2, [1, 4, 16]), (2**x, [2, 4, 16]),
                               (7 // x, [7, 3, 1]), (7 % x, [0, 1, 3]), (-x, [-1, -2, -4]), (abs(-x), [1, 2, 4]),
                               (10 - x, [9, 8, 6])):
            self.assertEqual(made.tolist(), expected)
        i = sinter.tensor([1, 2])
        self.assertEqual((i << 2).tolist(), [4, 8])
        self.assertEqual((1 << i).tolist(), [2, 4])
        self.assertEqual((~sinter.tensor([True])).tolist(), [False])
        self.assertEqual((i & 1).tolist(), [1, 0])

    def test_in_place_is_the_same_object(self):
        x = sinter.ones(3)
        y = x
        y += 1
        self.assertIs(y, x)
        self.assertIs(x.mul_(2), x)
        self.assertIs(sinter.neg_(x), x)
        self.assertEqual(x.tolist(), [-4.0] * 3)

    def test_arrays_of_numpy(self):
        x, a = sinter.ones(2), np.array([1.0, 2.0])
        for made in (x + a, a + x):
            self.assertIsInstance(made, sinter.Tensor)
            self.assertEqual(made.tolist(), [2.0, 3.0])
        self.assertIsInstance(np.float64(2) * x, sinter.Tensor)
        self.assertIs((np.float32(2) * x).dtype, sinter.float32)

    def test_comparison_with_others(self):
        x = sinter.ones(2)
        self.assertFalse(x == None)  # noqa: E711
        self.assertTrue(x != "a")
        with self.assertRaises(TypeError):
            x + "a"
        with self.assertRaises(TypeError):
            x < None

    def test_matmul(self):
        self.assertEqual((sinter.ones(2, 3) @ sinter.ones(3)).tolist(), [3.0, 3.0])


class Values(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(int(sinter.tensor(3.7)), 3)
        self.assertEqual(float(sinter.tensor([2])), 2.0)
        self.assertEqual(complex(sinter.tensor(1 + 2j)), 1 + 2j)
        self.assertEqual([10, 20][sinter.tensor(1)], 20)
        self.assertIs(type(sinter.tensor(True).item()), bool)
        self.assertEqual(f"{sinter.tensor(1.23456):.2f}", "1.23")
        self.assertTrue(sinter.tensor([1]))
        with self.assertRaisesRegex(RuntimeError, "a Tensor with 2 elements cannot be converted"):
            bool(sinter.ones(2))
        with self.assertRaisesRegex(TypeError, "only integer tensors"):
            [1, 2][sinter.tensor(1.0)]
        self.assertTrue(math.isnan(sinter.tensor(float("nan")).item()))

    def test_sequences(self):
        x = sinter.arange(6).view(3, 2)
        self.assertEqual(len(x), 3)
        self.assertEqual([row.tolist() for row in x], [[0, 1], [2, 3], [4, 5]])
        self.assertIn(5, x)
        self.assertNotIn(7, x)
        with self.assertRaisesRegex(TypeError, "len\\(\\) of a 0-d tensor"):
            len(sinter.tensor(1))
        with self.assertRaisesRegex(TypeError, "iteration over a 0-d tensor"):
            list(sinter.tensor(1))

    def test_copies(self):
        x = sinter.ones(2)
        y, z = copy.copy(x), copy.deepcopy(x)
        x.add_(1)
        self.assertEqual((y.tolist(), z.tolist()), ([2.0, 2.0], [1.0, 1.0]))
        self.assertEqual({x: 1}[x], 1)

    def test_text(self):
        self.assertEqual(repr(sinter.tensor([1.0, 2.0])), "tensor([1., 2.])")
        self.assertEqual(repr(sinter.ones(1, dtype=sinter.float64)), "tensor([1.], dtype=sinter.float64)")
        self.assertEqual(repr(sinter.float32), "sinter.float32")
        self.assertEqual(repr(sinter.device("cuda:1")), "device(type='cuda', index=1)")

    def test_nothing_runs_before_a_value_is_read(self):
        x = sinter.rand(1000).eval()
        sinter.reset_stats()
        y = (x.sin() * 2 + 1).sum()
        self.assertEqual(sinter.stats()["kernels_launched"], 0)
        self.assertGreater(sinter.stats()["nodes_pending"], 0)
        self.assertIn("1 kernel", sinter.explain(y))
        y.item()
        self.assertEqual(sinter.stats()["kernels_launched"], 1)
        self.assertEqual(sinter.stats()["flushes"]["value_read"], 1)
        a, b = x + 1, x + 2
        sinter.eval(a, b)
        self.assertEqual(sinter.stats()["kernels_launched"], 2)


class Indices(unittest.TestCase):
    def test_as_in_numpy(self):
        a = np.arange(24.0).reshape(2, 3, 4)
        x = sinter.tensor(a)
        for index in (0, -1, None, slice(1, None), (slice(None), 1), (..., 2), (None, 0), (0, slice(None, None, 2), -1),
                      [1, 0], ([0, 1], [2, 0]), (slice(None), [0, 2]), np.array([1, 0]), (slice(-100, 100),),
                      (slice(None), [True, False, True]), a > 5, True, ()):
            self.assertEqual(x[index].tolist(), a[index].tolist(), index)

    def test_tensors(self):
        x = sinter.arange(5)
        self.assertEqual(x[x > 2].tolist(), [3, 4])
        self.assertEqual(x[sinter.tensor([4, 0])].tolist(), [4, 0])
        self.assertEqual(x[[]].tolist(), [])

    def test_writes(self):
        x = sinter.zeros(2, 3)
        x[0] = 1
        x[:, 1] = sinter.tensor([5.0, 6.0])
        x[1, [0, 2]] = [7, 8]
        x[x > 6] += 1
        x[..., 0] = np.array([2.0, 3.0])
        self.assertEqual(x.tolist(), [[2.0, 5.0, 1.0], [3.0, 6.0, 9.0]])
        y = sinter.zeros(3)
        self.assertIs(y.index_put_([sinter.tensor([0, 0])], sinter.ones(2), accumulate=True), y)
        self.assertEqual(y.tolist(), [2.0, 0.0, 0.0])

    def test_errors(self):
        x = sinter.arange(5)
        with self.assertRaisesRegex(IndexError, "index 7 is out of bounds"):
            x[7]
        with self.assertRaisesRegex(ValueError, "step -1, expected 1 or more"):
            x[::-1]
        with self.assertRaisesRegex(TypeError, "there is no such index; got <class 'str'>"):
            x["a"]
        with self.assertRaises(IndexError):
            x[2**63]


class Results(unittest.TestCase):
    def test_named_tuples(self):
        x = sinter.tensor([[3.0, 1.0], [2.0, 4.0]])
        largest = x.max(dim=1)
        self.assertEqual((largest.values.tolist(), largest.indices.tolist()), ([3.0, 4.0], [0, 1]))
        values, indices = sinter.sort(x, descending=True)
        self.assertEqual(indices.tolist(), [[0, 1], [1, 0]])
        self.assertEqual(sinter.linalg.svd(x).S.shape, (2,))
        self.assertEqual(sinter.linalg.slogdet(x).sign.item(), 1.0)
        self.assertIs(type(x.max(0)), type(x.max(1)))

    def test_tuples_of_tensors(self):
        self.assertEqual([t.tolist() for t in sinter.arange(5).split(2)], [[0, 1], [2, 3], [4]])
        self.assertIsInstance(sinter.arange(4).chunk(2), tuple)
        self.assertEqual(len(sinter.meshgrid(sinter.arange(2), sinter.arange(3), indexing="ij")), 2)
        self.assertEqual(len(sinter.meshgrid([sinter.arange(2), sinter.arange(3)])), 2)

    def test_results_that_depend_on_arguments(self):
        x = sinter.tensor([3, 1, 1])
        self.assertEqual(sinter.unique(x).tolist(), [1, 3])
        values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
        self.assertEqual((inverse.tolist(), counts.tolist()), ([1, 0, 0], [2, 1]))
        self.assertEqual(sinter.unique(x.view(3, 1), dim=0).tolist(), [[1], [3]])
        self.assertEqual(sinter.unique_consecutive(x, return_counts=True)[1].tolist(), [1, 2])
        self.assertEqual([t.tolist() for t in sinter.nonzero(x - 1, as_tuple=True)], [[0]])
        self.assertEqual(sinter.where(x > 1)[0].tolist(), [0])
        self.assertEqual(sinter.where(x > 1, 0.5, x).tolist(), [0.5, 1.0, 1.0])

    def test_products(self):
        a, b = sinter.arange(6.0).view(2, 3), sinter.arange(12.0).view(3, 4)
        for made in (sinter.einsum("ij,jk->ik", a, b), sinter.einsum("ij,jk->ik", [a, b]), sinter.tensordot(a, b, 1),
                     sinter.tensordot(a, b, ([1], [0])), a @ b):
            self.assertEqual(made.tolist(), (a.numpy() @ b.numpy()).tolist())

    def test_modules(self):
        x = sinter.tensor([[1.0, 2.0]])
        self.assertEqual(F.pad(x, (1, 1)).tolist(), [[0.0, 1.0, 2.0, 0.0]])
        self.assertAlmostEqual(F.cross_entropy(x, sinter.tensor([1])).item(), math.log(1 + math.exp(-1)), places=6)
        self.assertEqual(F.mse_loss(x, x + 1, reduction="sum").item(), 2.0)
        with self.assertRaisesRegex(ValueError, 'no such reduction; got "max"'):
            F.mse_loss(x, x, reduction="max")
        self.assertEqual(F.softmax(x, dim=0).tolist(), [[1.0, 1.0]])
        self.assertEqual(sinter.fft.fft(x).tolist(), [[3 + 0j, -1 + 0j]])
        self.assertEqual(sinter.signal.windows.hann(3).tolist(), [0.0, 1.0, 0.0])
        self.assertAlmostEqual(sinter.special.zeta(sinter.tensor(2.0), 1).item(), math.pi**2 / 6, places=5)
        import sinter.linalg as linalg
        with self.assertRaisesRegex(linalg.LinAlgError, "the matrix is singular") as caught:
            linalg.inv(sinter.zeros(2, 2))
        self.assertNotIn(".cpp", str(caught.exception))

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(TypeError, r"sum\(\): incompatible function arguments"):
            sinter.ones(2).sum("a")
        with self.assertRaisesRegex(RuntimeError, "must match the size of tensor b"):
            sinter.ones(2) + sinter.ones(3)


class States(unittest.TestCase):
    def test_gradients(self):
        w = sinter.tensor([1.0, 2.0], requires_grad=True)
        self.assertIsNone(w.grad)
        (w * w).sum().backward()
        (w * w).sum().backward()
        self.assertEqual(w.grad.tolist(), [4.0, 8.0])
        w.grad = None
        self.assertIsNone(w.grad)
        x, y = sinter.autograd.grad((w**3).sum(), (w, sinter.ones(1, requires_grad=True)), allow_unused=True)
        self.assertEqual((x.tolist(), y), ([3.0, 12.0], None))
        first, = sinter.autograd.grad((w**3).sum(), w, create_graph=True)
        self.assertEqual(sinter.autograd.grad(first.sum(), w)[0].tolist(), [6.0, 12.0])
        with self.assertRaisesRegex(RuntimeError, "does not require"):
            sinter.ones(1).backward()

    def test_hooks(self):
        w = sinter.ones(2, requires_grad=True)
        seen = []
        twice = w.register_hook(lambda gradient: gradient * 2)
        w.register_hook(lambda gradient: seen.append(gradient.tolist()))
        w.sum().backward()
        self.assertEqual((w.grad.tolist(), seen), ([2.0, 2.0], [[2.0, 2.0]]))
        twice.remove()
        w.grad = None
        w.sum().backward()
        self.assertEqual(w.grad.tolist(), [1.0, 1.0])
        w.register_hook(lambda gradient: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            w.sum().backward()

    def test_transformations(self):
        func = sinter.func
        x, y = sinter.tensor([1.0, 2.0]), sinter.tensor([3.0, 4.0])
        f = lambda a, b, power=2: (a**power * b).sum()  # noqa: E731
        self.assertEqual(func.grad(f)(x, y).tolist(), [6.0, 16.0])
        self.assertEqual(func.grad(f, argnums=1)(x, y, power=3).tolist(), [1.0, 8.0])
        both = func.grad(f, argnums=(0, -1))(x, y)
        self.assertEqual([t.tolist() for t in both], [[6.0, 16.0], [1.0, 4.0]])
        gradient, value = func.grad_and_value(f)(x, y)
        self.assertEqual((gradient.tolist(), value.item()), ([6.0, 16.0], 19.0))
        self.assertEqual(func.grad(lambda a: func.grad(f)(a, y).sum())(x).tolist(), [6.0, 8.0])
        for jacobian in (func.jacrev, func.jacfwd):
            self.assertEqual(jacobian(lambda a: a * a)(x).tolist(), [[2.0, 0.0], [0.0, 4.0]])
        self.assertEqual(func.hessian(f)(x, y).tolist(), [[6.0, 0.0], [0.0, 8.0]])
        rows = sinter.arange(6.0).view(3, 2)
        self.assertEqual(func.vmap(lambda r: r.sum())(rows).tolist(), [1.0, 5.0, 9.0])
        self.assertEqual(sinter.vmap(lambda r, v: (r * v, r), in_dims=(0, None))(rows, x)[0].tolist(),
                         (rows * x).tolist())
        self.assertEqual(func.vmap(func.grad(lambda r: (r * r).sum()))(rows).tolist(), (2 * rows).tolist())
        with self.assertRaisesRegex(IndexError, "got argnums 2, expected -1 to 0"):
            func.grad(f, argnums=2)(x)
        with self.assertRaisesRegex(TypeError, "returned no tensor; got <class 'float'>"):
            func.grad(lambda a: 1.0)(x)
        with self.assertRaises(ZeroDivisionError):
            func.grad(lambda a: 1 / 0)(x)

    def test_contexts(self):
        w = sinter.ones(1, requires_grad=True)
        with sinter.no_grad():
            self.assertFalse((w * 2).requires_grad)
            with sinter.enable_grad():
                self.assertTrue((w * 2).requires_grad)
        self.assertTrue((w * 2).requires_grad)

        @sinter.no_grad()
        def f():
            return w * 2

        self.assertFalse(f().requires_grad)
        with self.assertRaises(KeyError):
            with sinter.inference_mode():
                raise KeyError
        self.assertTrue((w * 2).requires_grad)
        with sinter.set_grad_enabled(False):
            self.assertFalse((w * 2).requires_grad)
        self.assertTrue((w * 2).requires_grad)
        sinter.set_grad_enabled(False)
        self.assertFalse((w * 2).requires_grad)
        sinter.set_grad_enabled(True)

    def test_eager_mode(self):
        with sinter.mode(sinter.eager):
            sinter.reset_stats()
            x = sinter.ones(3) + 1
            self.assertEqual(sinter.stats()["nodes_pending"], 0)
        self.assertEqual(sinter.get_mode(), sinter.lazy)
        self.assertEqual(x.tolist(), [2.0] * 3)

    def test_random_numbers(self):
        sinter.manual_seed(1)
        x = sinter.rand(5)
        sinter.manual_seed(1)
        self.assertEqual(sinter.rand(5).tolist(), x.tolist())
        g = sinter.Generator().manual_seed(3)
        h = sinter.Generator().manual_seed(3)
        self.assertEqual(sinter.rand(2, generator=g).tolist(), sinter.rand(2, generator=h).tolist())
        self.assertNotEqual(sinter.rand(2, generator=g).tolist(), sinter.rand(2).tolist())

    def test_star_import_leaves_names_alone(self):
        names = {}
        exec("from sinter import *", names)
        self.assertIn("tensor", names)
        for name in ("int", "float", "bool", "sum", "max", "abs", "_core"):
            self.assertNotIn(name, names)


if __name__ == "__main__":
    unittest.main()
