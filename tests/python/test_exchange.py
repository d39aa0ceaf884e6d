"""Memory shared with NumPy and by DLPack: no copies, lifetimes, threads."""

import array
import gc
import os
import subprocess
import sys
import threading
import time
import unittest
import weakref

import numpy as np

import sinter

DTYPES = [(np.bool_, sinter.bool), (np.uint8, sinter.uint8), (np.int8, sinter.int8), (np.int16, sinter.int16),
          (np.int32, sinter.int32), (np.int64, sinter.int64), (np.float16, sinter.float16),
          (np.float32, sinter.float32), (np.float64, sinter.float64), (np.complex64, sinter.complex64),
          (np.complex128, sinter.complex128)]


def resident_kilobytes():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


class FromNumpy(unittest.TestCase):
    def test_every_dtype(self):
        for theirs, ours in DTYPES:
            a = np.array([[0, 1], [1, 0]], dtype=theirs)
            t = sinter.from_numpy(a)
            self.assertIs(t.dtype, ours)
            self.assertEqual(t.tolist(), a.tolist())
            self.assertEqual(t.numpy().dtype, a.dtype)

    def test_writes_are_seen_on_both_sides(self):
        a = np.arange(6.0).reshape(2, 3)
        t = sinter.from_numpy(a)
        t.add_(1)
        self.assertEqual(a.tolist(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        a[0, 0] = 10
        self.assertEqual(t[0, 0].item(), 10.0)
        twice = t * 2  # reads the memory as it is at this line
        a[0, 0] = 30
        self.assertEqual(twice[0, 0].item(), 20.0)

    def test_strides(self):
        a = np.arange(24).reshape(2, 3, 4)
        for part in (a.T, a[:, ::2], a[1], np.broadcast_to(a[0], (5, 3, 4)), a[:0]):
            self.assertEqual(sinter.from_numpy(part).tolist(), part.tolist())
            self.assertEqual(sinter.as_tensor(part).data_ptr() if part.flags.writeable else 0,
                             part.ctypes.data if part.flags.writeable else 0)
        with self.assertRaisesRegex(ValueError, "negative stride.*array.copy"):
            sinter.from_numpy(a[::-1])

    def test_read_only_arrays(self):
        a = np.arange(3.0)
        a.flags.writeable = False
        t = sinter.from_numpy(a)
        self.assertEqual((t + 1).tolist(), [1.0, 2.0, 3.0])
        with self.assertRaisesRegex(RuntimeError, "read-only"):
            t.add_(1)
        self.assertEqual(sinter.from_numpy(np.frombuffer(b"\x01\x02", dtype=np.uint8)).tolist(), [1, 2])

    def test_what_is_refused(self):
        for value, text in ((np.arange(3, dtype=np.uint32), "a dtype that tensors cannot have"),
                            (np.array(["a"]), "no array of numbers"), ([1, 2], "no array of numbers; got in|no array"),
                            (np.array([object()]), "no array of numbers")):
            with self.assertRaisesRegex(TypeError, text):
                sinter.from_numpy(value)

    def test_other_buffers(self):
        a = array.array("d", [1.0, 2.0])
        t = sinter.from_numpy(a)
        t.mul_(2)
        self.assertEqual(list(a), [2.0, 4.0])
        with self.assertRaises(BufferError):
            a.append(3.0)  # its memory is lent

    def test_lifetimes(self):
        class Owned(np.ndarray):
            pass

        a = np.arange(4.0).view(Owned)
        ended = weakref.ref(a)
        view = sinter.from_numpy(a)[1:]
        del a
        gc.collect()
        self.assertEqual(view.tolist(), [1.0, 2.0, 3.0])
        result = view + 1
        del view
        self.assertEqual(result.tolist(), [2.0, 3.0, 4.0])
        del result
        gc.collect()
        self.assertIsNone(ended())

    def test_memory_is_let_go_on_other_threads(self):
        done = []
        sinter._core._run_locked_elsewhere(lambda: done.append(threading.get_ident()))  # ends while this thread has the lock
        for _ in range(1000):
            if done:
                break
            time.sleep(0.001)
        self.assertEqual(done, [threading.main_thread().ident])

    def test_memory_is_let_go(self):
        for i in range(50):
            t = sinter.from_numpy(np.ones(1 << 20))
            (t + 1).sum().item()
            if i == 10:
                before = resident_kilobytes()
        self.assertLess(resident_kilobytes() - before, 64 << 10)


class ToNumpy(unittest.TestCase):
    def test_shares_memory(self):
        t = sinter.zeros(2, 3)
        a = t.numpy()
        a[0, 1] = 5
        t[1] = 7
        self.assertEqual((t.tolist(), a.tolist()), ([[0, 5, 0], [7, 7, 7]],) * 2)
        self.assertEqual(np.asarray(t).ctypes.data, t.data_ptr())
        self.assertEqual(t.t().numpy().strides, (4, 12))

    def test_array_outlives_the_tensor(self):
        a = (sinter.arange(1000.0) + 1).numpy()
        gc.collect()
        sinter.rand(1000).eval()
        self.assertEqual(a.sum(), 500500.0)

    def test_set_does_not_move_an_array(self):
        t = sinter.zeros(4)
        a = t.numpy()
        t.resize_(1 << 16).fill_(1)
        a[:] = 3  # still memory of its own or of the tensor, never freed
        self.assertEqual(a.tolist(), [3.0] * 4)

    def test_protocol(self):
        t = sinter.tensor([1.5, 2.5])
        self.assertEqual(np.array(t, dtype=np.int64).tolist(), [1, 2])
        self.assertNotEqual(np.array(t, copy=True).ctypes.data, t.data_ptr())
        self.assertEqual(np.sqrt(t).tolist(), np.sqrt(np.array([1.5, 2.5], dtype=np.float32)).tolist())

    def test_what_is_refused(self):
        with self.assertRaisesRegex(TypeError, "NumPy has no bfloat16.*float\\(\\)"):
            sinter.ones(1, dtype=sinter.bfloat16).numpy()
        with self.assertRaisesRegex(RuntimeError, "requires a gradient.*detach"):
            sinter.ones(1, requires_grad=True).numpy()
        self.assertEqual(sinter.ones(1, requires_grad=True).numpy(force=True).tolist(), [1.0])


class DLPack(unittest.TestCase):
    def test_numpy_reads_tensors(self):
        t = sinter.arange(6).view(2, 3)
        a = np.from_dlpack(t)
        self.assertEqual((a.tolist(), a.ctypes.data), (t.tolist(), t.data_ptr()))
        self.assertEqual(t.__dlpack_device__(), (1, 0))

    def test_tensors_read_numpy(self):
        a = np.arange(6.0).reshape(2, 3)
        t = sinter.from_dlpack(a)
        t.neg_()
        self.assertEqual(a[1, 2], -5.0)
        self.assertEqual(sinter.from_dlpack(sinter.ones(2)).tolist(), [1.0, 1.0])

    def test_capsules(self):
        t = sinter.ones(3)
        for version in (None, (0, 8), (1, 0), (2, 0)):
            capsule = t.__dlpack__(max_version=version)
            name = "dltensor_versioned" if version and version[0] else "dltensor"
            self.assertIn(f'"{name}"', repr(capsule))
            self.assertEqual(sinter.from_dlpack(capsule).tolist(), [1.0] * 3)
            with self.assertRaises(ValueError):
                sinter.from_dlpack(capsule)  # it has been used
        del capsule
        t.__dlpack__()  # unused: lets go of its memory
        self.assertNotEqual(sinter.from_dlpack(t.__dlpack__(copy=True)).data_ptr(), t.data_ptr())

    def test_what_is_refused(self):
        with self.assertRaisesRegex(TypeError, "does not share its memory; got <class 'list'>"):
            sinter.from_dlpack([1])
        with self.assertRaisesRegex(BufferError, "requires a gradient"):
            sinter.ones(1, requires_grad=True).__dlpack__()
        with self.assertRaisesRegex(BufferError, "on another device"):
            sinter.ones(1).__dlpack__(dl_device=(2, 0))


class Processes(unittest.TestCase):
    def test_a_forked_child_computes(self):
        shared = sinter.from_numpy(np.arange(1000.0))
        pending = sinter.rand(1000) * 0 + 2
        child = os.fork()
        if child == 0:
            correct = (shared + pending).sum().item() == 501500.0 and sinter.ones(3).numpy().sum() == 3
            os._exit(0 if correct else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(pending.sum().item(), 2000.0)

    def test_the_interpreter_ends_cleanly(self):
        for program in ("import sinter; x = sinter.ones(1000).exp(); y = x.sum()",  # pending
                        "import numpy, sinter; x = sinter.from_numpy(numpy.ones(3)); y = x.numpy(); del x",
                        "import sinter; x = sinter.ones(100, 100); y = (x @ x).exp(); y.eval()",  # compiled meanwhile
                        "import sinter; sinter.rand(5, requires_grad=True).sum().register_hook(print)"):
            ended = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", program], capture_output=True,
                                   text=True, timeout=120)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""), program)


class Threads(unittest.TestCase):
    def test_many_threads_share_arrays_and_compute(self):
        errors = []
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)

        def work(seed):
            try:
                for i in range(40):
                    t = sinter.from_numpy(np.full(500 + i, float(seed)))
                    if (t * 2).sum().item() != 2.0 * seed * (500 + i):
                        errors.append((seed, i))
            except Exception as error:  # noqa: BLE001: shown below
                errors.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
        self.assertEqual(errors, [])

    def test_other_threads_run_while_a_value_is_computed(self):
        ticks, stop = [0], threading.Event()

        def tick():
            while not stop.is_set():
                ticks[0] += 1
                time.sleep(0)  # lets go of the interpreter's lock

        a = sinter.rand(500, 500, dtype=sinter.float64).eval()
        b = sinter.rand(1 << 23).eval()
        threads, before = sinter.get_num_threads(), sys.getswitchinterval()
        sinter.set_num_threads(1)  # leaves a processor to the other thread
        thread = threading.Thread(target=tick)
        try:
            sys.setswitchinterval(1000)  # nobody has to let go of it
            thread.start()
            for name, compute in (("svdvals", lambda: sinter.linalg.svdvals(a)), ("item", lambda: b.sin().sum().item()),
                                  ("eval", lambda: sinter.eval(b.exp())), ("nonzero", lambda: b.cos().nonzero()),
                                  ("mask", lambda: b[b > 0.5]), ("numpy", lambda: b.tan().numpy())):
                seen = ticks[0]
                for _ in range(50):  # the system may have no processor for the other thread at once
                    compute()
                    if ticks[0] > seen:
                        break
                self.assertGreater(ticks[0], seen, name)
            seen = ticks[0]
            sum(range(10000))
            self.assertEqual(ticks[0], seen)  # nothing else lets the other thread run
        finally:
            stop.set()
            sys.setswitchinterval(before)
            sinter.set_num_threads(threads)
            thread.join()


if __name__ == "__main__":
    unittest.main()
