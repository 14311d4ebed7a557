// Number formats in OpenVINO's words and in LibTorch's.
#pragma once

#include <c10/core/ScalarType.h>

#include <openvino/core/type/element_type.hpp>
#include <optional>

namespace transformeter {

/// Throws Error(kInternal) for a type that no model has as input.
ov::element::Type element_of(c10::ScalarType type);

/// Nothing for one that LibTorch lacks, or that no input or output has.
std::optional<c10::ScalarType> scalar_of(const ov::element::Type& type);

}  // namespace transformeter
