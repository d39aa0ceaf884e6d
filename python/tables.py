"""What Python's names and attributes are, and what Python does not get, where no rule says it."""

# C++ namespace: Python module; "Tensor" is the class.
MODULES = {
    "": "",
    "tensor_base": "Tensor",
    "linalg": "linalg",
    "special": "special",
    "fft": "fft",
    "nn::functional": "nn.functional",
    "windows": "signal.windows",
}

# Parameters that have another name in PyTorch: of every function, or of some.
PARAMETERS = {
    "sizes": "size",
    "strides": "stride",
    "lambda": "lambd",
    "format": "memory_format",
    "source": "src",
    "on": "requires_grad",
}
PARAMETERS_OF = {
    ("addbmm", "addbmm_", "baddbmm", "baddbmm_"): {"a": "batch1", "b": "batch2"},
    ("addmm", "addmm_"): {"a": "mat1", "b": "mat2"},
    ("addmv", "addmv_"): {"a": "mat", "b": "vec"},
    ("addr", "addr_"): {"a": "vec1", "b": "vec2"},
    ("bernoulli",): {"probabilities": "input", "like": "input"},
    ("bmm", "mm"): {"b": "mat2", "other": "mat2"},
    ("bucketize",): {"value": "input"},
    ("cdist",): {"a": "x1", "b": "x2"},
    ("clamp_max", "clamp_max_"): {"other": "max"},
    ("clamp_min", "clamp_min_"): {"other": "min"},
    ("diagonal",): {"d0": "dim1", "d1": "dim2"},
    ("flatten",): {"start": "start_dim", "end": "end_dim"},
    ("full_like",): {"value": "fill_value"},
    ("ger", "outer"): {"b": "vec2", "other": "vec2"},
    ("heaviside", "heaviside_"): {"other": "values"},
    ("hsplit", "vsplit", "dsplit", "tensor_split"): {"sections": "indices_or_sections",
                                                     "indices": "indices_or_sections"},
    ("index_copy", "index_copy_", "index_reduce", "index_reduce_", "index_add", "index_add_", "put_",
     "masked_scatter", "masked_scatter_", "movedim", "moveaxis", "put"): {"source": "source"},
    ("isin",): {"test": "test_elements", "element": "elements"},
    ("lu_unpack",): {"LU": "LU_data", "pivots": "LU_pivots"},
    ("multinomial",): {"weights": "input"},
    ("mv",): {"b": "vec", "other": "vec"},
    ("new_full", "full"): {"value": "fill_value"},
    ("pow",): {"base": "input"},
    ("reshape", "view"): {"sizes": "shape"},
    ("split", "unsafe_split", "split_with_sizes", "unsafe_split_with_sizes"): {"split_size": "split_size_or_sections",
                                                                               "sizes": "split_size_or_sections"},
    ("tile",): {"repeats": "dims"},
    ("transpose",): {"a": "dim0", "b": "dim1"},
    ("unfold",): {"dim": "dimension"},
    ("unflatten",): {"sizes": "sizes"},
    tuple(f"{kind}polynomial_{letter}" for kind, letters in (
        ("chebyshev_", "tuvw"), ("shifted_chebyshev_", "tuvw"), ("hermite_", "h"), ("laguerre_", "l"),
        ("legendre_", "p")) for letter in letters) + ("hermite_polynomial_he",): {"a": "input", "b": "n"},
}


def parameter(function, name):
    """The name of a parameter in Python."""
    for functions, names in PARAMETERS_OF.items():
        if function in functions and name in names:
            return names[name]
    return PARAMETERS.get(name, "other" if name == "b" else name)


# Methods without parameters that are attributes in Python.
ATTRIBUTES = set("""H T _version device dtype is_cpu is_cuda is_leaf itemsize mH mT nbytes
    output_nr real retains_grad""".split())

# Functions that take sizes as a list, or one by one.
SIZES_AS_ARGUMENTS = set("""empty expand flip new_empty new_ones new_zeros ones permute rand randn repeat reshape
    resize_ tile view zeros""".split())

# Functions that take tensors as a list, or one by one.
TENSORS_AS_ARGUMENTS = set("""atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod chain_matmul
    meshgrid""".split())

# The fields of results of several tensors; of others they are plain tuples. A name in a module goes first.
VALUES = dict.fromkeys("cummax cummin kthvalue max median min mode nanmedian sort topk".split(), "values indices")
FIELDS = VALUES | {
    "aminmax": "min max",
    "cholesky_ex": "L info",
    "eig": "eigenvalues eigenvectors",
    "eigh": "eigenvalues eigenvectors",
    "frexp": "mantissa exponent",
    "geqrf": "a tau",
    "histogram": "hist bin_edges",
    "histogramdd": "hist bin_edges",
    "inv_ex": "inverse info",
    "ldl_factor": "LD pivots",
    "ldl_factor_ex": "LD pivots info",
    "linalg.svd": "U S Vh",
    "lstsq": "solution residuals rank singular_values",
    "lu": "P L U",
    "lu_factor": "LU pivots",
    "lu_factor_ex": "LU pivots info",
    "lu_unpack": "P L U",
    "qr": "Q R",
    "slogdet": "sign logabsdet",
    "solve_ex": "result info",
    "svd": "U S V",
    "triangular_solve": "solution cloned_coefficient",
}

# What is written by hand in src/ or sinter/, because Python's signature is another one.
BY_HAND = set("""backward complex data_ptr einsum eval from_blob grad index index_put index_put_ item
    new_tensor nonzero nonzero_numpy register_hook requires_grad
    size sizes stride strides tensor tensordot to type
    where""".split())

# What Python has no use for.
C_PLUS_PLUS = set("""accessor const_data_ptr defined frexp_exponent frexp_mantissa grad_fn has_storage is_same layout log_sigmoid
    log_sigmoid_ matrix_H mutable_data_ptr mutable_grad numpy_T options packed_accessor32 packed_accessor64 record_stream remove_hook reset
    scalar_to_tensor scalar_type set_ set_data set_requires_grad slice storage suggest_memory_format toString toType
    unsafeGetTensorImpl""".split())

LEFT_OUT = BY_HAND | C_PLUS_PLUS

# Functions some of whose forms are for C++ alone: templates of what another form takes, too.
PARTLY_LEFT_OUT = set("copy_ gradient matrix_rank pinv smooth_l1_loss view".split())
