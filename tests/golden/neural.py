"""nn.functional: activations with options, padding, normalisations and losses."""

import torch
import torch.nn.functional as F

from notation import EPS, FLOATS, NAME_OF, T

REDUCTIONS = ["none", "mean", "sum"]


def near(values, result):
    """A few roundings of the largest number."""
    x = result.double().abs()
    x = x[x.isfinite()]
    return 16 * EPS[NAME_OF[result.dtype]] * max(1.0, float(x.max()) if x.numel() else 0.0)


def neural(f):
    for d in ["f32", "f64", "f16", "i64"]:
        activations(f, d)
        padding(f, d)
        if d in FLOATS:
            norms(f, d)
            losses(f, d)
    classes(f)
    refusals(f)


def activations(f, d):
    x = T(d, [4, 6], "m", 1)
    for dim in [0, 1, -1, 2]:
        f.call("nn_glu", x, dim, by=F.glu, bound=near)
    f.call("nn_glu", T(d, [3]), 0, by=F.glu)
    f.call("nn_glu", T(d, []), 0, by=F.glu)
    f.call("nn_tanhshrink", x, by=F.tanhshrink, bound=near)
    f.call("nn_softmin", x, 1, by=F.softmin, bound=near)
    f.call("nn_softmin", x, 0, by=F.softmin, bound=near)
    for p in [0, 1, 2, 3.5, float("inf"), -1]:
        f.call("nn_pdist", T(d, [4, 3], "r", 1), float(p), by=F.pdist, bound=near)
    f.call("nn_pdist", T(d, [1, 3], "r", 1), 2.0, by=F.pdist)
    f.call("nn_pdist", T(d, [3], "r", 1), 2.0, by=F.pdist)
    for p, dim, eps in [(2.0, 1, 1e-12), (1.0, 0, 0.5), (3.0, -1, 1e-3)]:
        f.call("nn_normalize", x, p, dim, eps, by=F.normalize, bound=near)


def padding(f, d):
    for mode in ["reflect", "replicate", "circular", "constant"]:
        for sizes, pads in [([2, 4], [[1, 2], [0, 0], [-1, 1], [4, 0], [3, 3], [5, 1], [-2, -2], [1], [1, 1, 1, 1]]),
                            ([1, 2, 4], [[1, 2], [3, 0], [1, 1, 1, 1], [0, -2]]),
                            ([1, 2, 3, 4], [[1, 2, 2, 1], [0, 1, 1, 0], [1, 1], [-1, 2, 0, -1]]),
                            ([1, 1, 2, 3, 2], [[1, 0, 2, 1, 0, 1], [1, 1, 1, 1, 1, 1]]), ([3], [[1, 1]]), ([1, 2, 0], [[1, 1]])]:
            for pad in pads:
                f.call("nn_pad", T(d, sizes, "m", 1), pad, mode, by=F.pad)
    f.call("nn_pad", T(d, [2, 3, 2], "m", 1, 1, "t"), [1, 1], "reflect", by=F.pad)


def norms(f, d):
    x = T(d, [4, 6, 3], "r", 1)
    for shape in [[3], [6, 3], [4, 6, 3], [2], [], [1, 4, 6, 3]]:
        f.call("nn_layer_norm", x, shape, None, None, 1e-5, by=F.layer_norm, bound=near)
    f.call("nn_layer_norm", x, [3], T(d, [3], "p", 1), T(d, [3], "m", 2), 0.1, by=F.layer_norm, bound=near)
    f.call("nn_layer_norm", x, [3], T(d, [2], "p", 1), None, 0.1, by=F.layer_norm)
    w, b = T(d, [6], "p", 1), T(d, [6], "m", 2)
    for groups in [1, 2, 3, 6, 4]:
        f.call("nn_group_norm", x, groups, w, b, 1e-5, by=F.group_norm, bound=near)
        f.call("nn_group_norm", T(d, [2, 6], "r", 2), groups, None, None, 0.5, by=F.group_norm, bound=near)
    for training in [True, False]:
        for y in [x, T(d, [4, 6], "r", 3), T(d, [1, 6], "r", 3)]:
            def moved(x, m, v, w, b, training):
                out = F.batch_norm(x, m, v, w, b, training, 0.25, 1e-5)
                return [out, m, v]
            f.call("nn_batch_norm", y, T(d, [6], "m", 4), T(d, [6], "p", 5), w, b, training, by=moved, bound=near)
        f.call("nn_batch_norm", x, T(d, [5], "m", 4), T(d, [6], "p", 5), w, b, training, by=moved)
        f.call("nn_instance_norm", x, T(d, [6], "m", 4), T(d, [6], "p", 5), w, b, training, bound=near,
               by=lambda x, m, v, w, b, use: [F.instance_norm(x, m, v, w, b, use, 0.25, 1e-5), m, v])
    f.call("nn_instance_norm", T(d, [2, 6, 1], "r"), T(d, [6], "m"), T(d, [6], "p"), w, b, True,
           by=lambda x, m, v, w, b, use: [F.instance_norm(x, m, v, w, b, use, 0.25, 1e-5), m, v])
    for size in [1, 2, 3, 5]:
        f.call("nn_local_response_norm", x, size, 0.5, 0.75, 2.0, by=F.local_response_norm, bound=near)
        f.call("nn_local_response_norm", T(d, [2, 3, 2, 2], "r", 1), size, 0.5, 2.0, 1.0, by=F.local_response_norm, bound=near)


def losses(f, d):
    x, y, w = T(d, [3, 4], "r", 1), T(d, [3, 4], "r", 2), T(d, [4], "p", 3)
    unit, share = T(d, [3, 4], "q", 0, 2), T(d, [3, 4], "b", 1)
    sign = T(d, [3, 4], "w", 1, 1)
    for r in REDUCTIONS:
        f.call("nn_l1_loss", x, y, r, by=lambda x, y, r: F.l1_loss(x, y, reduction=r), bound=near)
        f.call("nn_mse_loss", x, y, r, by=lambda x, y, r: F.mse_loss(x, y, reduction=r), bound=near)
        f.call("nn_mse_loss", x, T("f64", [4], "p", 2), r, by=lambda x, y, r: F.mse_loss(x, y, reduction=r), bound=near)
        for beta in [1.0, 0.25, 0.0, -1.0]:
            f.call("nn_smooth_l1_loss", x, y, r, beta, by=lambda x, y, r, b: F.smooth_l1_loss(x, y, reduction=r, beta=b), bound=near)
            f.call("nn_huber_loss", x, y, r, beta, by=lambda x, y, r, b: F.huber_loss(x, y, reduction=r, delta=b), bound=near)
        f.call("nn_binary_cross_entropy", unit, share, r, None, bound=near,
               by=lambda x, y, r, w: F.binary_cross_entropy(x, y, weight=w, reduction=r))
        f.call("nn_binary_cross_entropy", T(d, [4], "q", 1, 2), T(d, [4], "b", 1), r, w, bound=near,
               by=lambda x, y, r, w: F.binary_cross_entropy(x, y, weight=w, reduction=r))
        for weight, pos in [(None, None), (w, None), (None, w), (w, w)]:
            f.call("nn_bce_with_logits", x, share, r, weight, pos, bound=near,
                   by=lambda x, y, r, w, p: F.binary_cross_entropy_with_logits(x, y, weight=w, pos_weight=p, reduction=r))
        for log_target in [False, True]:
            f.call("nn_kl_div", x, T(d, [3, 4], "p", 2), r, log_target, bound=near,
                   by=lambda x, y, r, l: F.kl_div(x, y, reduction=r, log_target=l))
        f.call("nn_hinge_embedding_loss", x, sign, r, 0.5, bound=near,
               by=lambda x, y, r, m: F.hinge_embedding_loss(x, y, margin=m, reduction=r))
        f.call("nn_margin_ranking_loss", x, y, sign, r, 0.25, bound=near,
               by=lambda a, b, y, r, m: F.margin_ranking_loss(a, b, y, margin=m, reduction=r))
        f.call("nn_cosine_embedding_loss", x, y, T(d, [3], "w", 1, 1), r, 0.25, bound=near,
               by=lambda a, b, y, r, m: F.cosine_embedding_loss(a, b, y, margin=m, reduction=r))
        f.call("nn_soft_margin_loss", x, sign, r, by=lambda x, y, r: F.soft_margin_loss(x, y, reduction=r), bound=near)
        f.call("nn_multilabel_soft_margin_loss", x, share, r, w, bound=near,
               by=lambda x, y, r, w: F.multilabel_soft_margin_loss(x, y, weight=w, reduction=r))
        for p, swap in [(2.0, False), (1.0, True), (3.0, False)]:
            f.call("nn_triplet_margin_loss", x, y, T(d, [3, 4], "r", 4), r, 0.5, p, swap, bound=near,
                   by=lambda a, p, n, r, m, o, s: F.triplet_margin_loss(a, p, n, margin=m, p=o, swap=s, reduction=r))
        for log_input, full in [(True, False), (False, True), (True, True)]:
            f.call("nn_poisson_nll_loss", x if log_input else T(d, [3, 4], "p", 1), T(d, [3, 4], "p", 6), r, log_input, full, bound=near,
                   by=lambda x, y, r, l, g: F.poisson_nll_loss(x, y, log_input=l, full=g, reduction=r))
    f.call("nn_kl_div", x, T(d, [3, 4], "p", 2), "batchmean", False, bound=near,
           by=lambda x, y, r, l: F.kl_div(x, y, reduction=r, log_target=l))


def classes(f):
    for d in FLOATS:
        w = T(d, [5], "p", 3)
        for r in REDUCTIONS:
            for ignore in [-100, 2]:
                for weight in [None, w]:
                    for x, y in [(T(d, [4, 5], "r", 1), T("i64", [4], "q", 0, 5)), (T(d, [5], "r", 1), T("i64", [], "q", 3, 5)),
                                 (T(d, [2, 5, 3], "r", 1), T("i64", [2, 3], "u", 0, 5)), (T(d, [0, 5]), T("i64", [0])),
                                 (T(d, [4, 5], "r", 1), T("u8", [4], "q", 0, 5))]:
                        f.call("nn_nll_loss", x, y, r, weight, ignore, bound=near,
                               by=lambda x, y, r, w, i: F.nll_loss(x, y, weight=w, ignore_index=i, reduction=r))
                        # PyTorch gathers the weights by Byte targets, which its gather refuses.
                        for smoothing in [0.0, 0.25] if y.dtype == "i64" else [0.0]:
                            f.call("nn_cross_entropy", x, y, r, weight, ignore, smoothing, bound=near,
                                   by=lambda x, y, r, w, i, s: F.cross_entropy(x, y, weight=w, ignore_index=i, reduction=r, label_smoothing=s))
            for weight in [None, w]:
                for smoothing in [0.0, 0.25]:
                    for sizes in [[4, 5], [5], [2, 5, 3]]:
                        f.call("nn_cross_entropy", T(d, sizes, "r", 1), T(d, sizes, "p", 2), r, weight, -100, smoothing, bound=near,
                               by=lambda x, y, r, w, i, s: F.cross_entropy(x, y, weight=w, ignore_index=i, reduction=r, label_smoothing=s))
                for p in [1, 2]:
                    f.call("nn_multi_margin_loss", T(d, [4, 5], "r", 1), T("i64", [4], "q", 0, 5), r, p, 0.5, weight, bound=near,
                           by=lambda x, y, r, p, m, w: F.multi_margin_loss(x, y, p=p, margin=m, weight=w, reduction=r))
                    f.call("nn_multi_margin_loss", T(d, [5], "r", 1), T("i64", [], "q", 3, 5), r, p, 0.5, weight, bound=near,
                           by=lambda x, y, r, p, m, w: F.multi_margin_loss(x, y, p=p, margin=m, weight=w, reduction=r))
            for seed in range(4):
                # -1 to 3 in turn: rows begin with different classes and end at -1.
                f.call("nn_multilabel_margin_loss", T(d, [3, 4], "r", 1), T("i64", [3, 4], "w", seed, 1), r, bound=near,
                       by=lambda x, y, r: F.multilabel_margin_loss(x, y, reduction=r))
            f.call("nn_multilabel_margin_loss", T(d, [4], "r", 1), T("i64", [4], "q", 0, 4), r, bound=near,
                   by=lambda x, y, r: F.multilabel_margin_loss(x, y, reduction=r))


def refusals(f):
    x = T("f32", [2, 3], "r", 1)
    nll = lambda x, y, r, w, i: F.nll_loss(x, y, weight=w, ignore_index=i, reduction=r)  # noqa: E731
    for y in [T("i64", [2], "c", 6), T("i64", [2], "c", -1), T("i32", [2]), T("i64", [1]), T("i64", [2, 3])]:
        f.call("nn_nll_loss", x, y, "mean", None, -100, by=nll)
    f.call("nn_nll_loss", x, T("i64", [2], "q", 0, 2), "mean", T("f32", [2], "p"), -100, by=nll)
    f.call("nn_nll_loss", T("f32", []), T("i64", []), "mean", None, -100, by=nll)
    ce = lambda x, y, r, w, i, s: F.cross_entropy(x, y, weight=w, ignore_index=i, reduction=r, label_smoothing=s)  # noqa: E731
    f.call("nn_cross_entropy", x, T("i64", [2, 3], "q"), "mean", None, -100, 0.0, by=ce)
    f.call("nn_cross_entropy", x, T("i64", [2], "q"), "mean", None, -100, 2.0, by=ce)
    bce = lambda x, y, r, w: F.binary_cross_entropy(x, y, weight=w, reduction=r)  # noqa: E731
    f.call("nn_binary_cross_entropy", T("f32", [3], "m"), T("f32", [3], "b"), "mean", None, by=bce)
    f.call("nn_binary_cross_entropy", T("f32", [3], "s", 7), T("f32", [3], "b"), "mean", None, by=bce)
    f.call("nn_binary_cross_entropy", T("f32", [2, 3], "b"), T("f32", [3], "b"), "mean", None, by=bce)
    f.call("nn_bce_with_logits", x, T("f32", [3], "b"), "mean", None, None,
           by=lambda x, y, r, w, p: F.binary_cross_entropy_with_logits(x, y))
    f.call("nn_margin_ranking_loss", x, x, T("f32", [2]), "mean", 0.0, by=lambda a, b, y, r, m: F.margin_ranking_loss(a, b, y))
    f.call("nn_cosine_embedding_loss", x, x, T("f32", [2, 3]), "mean", 0.0, by=lambda a, b, y, r, m: F.cosine_embedding_loss(a, b, y))
    f.call("nn_triplet_margin_loss", x, x, x, "mean", -1.0, 2.0, False, by=lambda a, p, n, r, m, o, s: F.triplet_margin_loss(a, p, n, margin=m))
    f.call("nn_triplet_margin_loss", x, x, T("f32", [3]), "mean", 1.0, 2.0, False, by=lambda a, p, n, r, m, o, s: F.triplet_margin_loss(a, p, n))
    mm = lambda x, y, r, p, m, w: F.multi_margin_loss(x, y, p=p, margin=m, weight=w, reduction=r)  # noqa: E731
    f.call("nn_multi_margin_loss", x, T("i64", [2], "q", 0, 3), "mean", 3, 1.0, None, by=mm)
    f.call("nn_multi_margin_loss", x, T("i64", [2], "c", 6), "mean", 1, 1.0, None, by=mm)
    f.call("nn_multi_margin_loss", x, T("i64", [1], "q", 0, 3), "mean", 1, 1.0, None, by=mm)
    mlm = lambda x, y, r: F.multilabel_margin_loss(x, y, reduction=r)  # noqa: E731
    f.call("nn_multilabel_margin_loss", x, T("i64", [2], "q"), "mean", by=mlm)
    f.call("nn_multilabel_margin_loss", x, T("i64", [2, 3], "c", 1), "mean", by=mlm)
    f.call("nn_local_response_norm", x, 2, 0.5, 0.75, 2.0, by=F.local_response_norm)
    f.call("nn_local_response_norm", T("f32", [1, 2, 3]), 0, 0.5, 0.75, 2.0, by=F.local_response_norm)
