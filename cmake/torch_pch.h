// Headers that most source files with LibTorch include, compiled once: ATen's tensor alone takes 3 s a file. Sources
// still include what they use.
#pragma once
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Device.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
