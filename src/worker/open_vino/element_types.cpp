// One table for both ways.
#include "open_vino/element_types.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

struct Pair {
  c10::ScalarType ours;
  ov::element::Type_t theirs;
};
constexpr std::array kTypes{
    Pair{c10::ScalarType::Long, ov::element::Type_t::i64},
    Pair{c10::ScalarType::Int, ov::element::Type_t::i32},
    Pair{c10::ScalarType::Bool, ov::element::Type_t::boolean},
    Pair{c10::ScalarType::Float, ov::element::Type_t::f32},
    Pair{c10::ScalarType::Half, ov::element::Type_t::f16},
    Pair{c10::ScalarType::BFloat16, ov::element::Type_t::bf16},
};

}  // namespace

ov::element::Type element_of(c10::ScalarType type) {
  for (const Pair& one : kTypes) {
    if (one.ours == type) return one.theirs;
  }
  throw Error(ErrorKind::kInternal, fmt::format("no input of a graph is in {}", c10::toString(type)));
}

std::optional<c10::ScalarType> scalar_of(const ov::element::Type& type) {
  for (const Pair& one : kTypes) {
    if (type == one.theirs) return one.ours;
  }
  return std::nullopt;
}

}  // namespace transformeter
