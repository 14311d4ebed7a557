// Sums are means times passes; the difference of two readings leaves out the passes before.
#include "open_vino/executed_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr double kSecondsOfUs = 1e-6;
constexpr std::string_view kAttention = "ScaledDotProductAttention";

// Layers that read each input once and write each output once; views, such as Reshape, are not among them.
constexpr std::array<std::string_view, 14> kMoving{"Eltwise",   "Subgraph", "MVN",     "RMS",        "Softmax",
                                                   "Transpose", "Convert",  "Reorder", "RoPE",       "Concatenation",
                                                   "Broadcast", "Split",    "Reduce",  "NormalizeL2"};

bool is_mask(const ShapedValue& value) {
  return value.shape.size() == 4 && value.shape[1] == 1;
}

// Of queries, keys and values, beside which there may be a mask. Where it was not fused, each of its parts names it
// too.
bool is_attention(const ExecutedNode& node) {
  if (node.layer == kAttention) return true;
  if (node.layer != "Subgraph") return false;
  const auto parts = std::count_if(node.values.inputs.begin(), node.values.inputs.end(),
                                   [](const ShapedValue& value) { return value.shape.size() == 4 && !is_mask(value); });
  return parts >= 3 && node.originals.find("Softmax") != std::string::npos;
}

// softmax(Q Kᵀ + mask) V. How many keys there are the mask says, [B, 1, 1 or T, S]; where no input is one for sure,
// nobody does.
NodeWork attention_work(const NodeValues& values) {
  const auto mask = std::find_if(values.inputs.begin(), values.inputs.end(), is_mask);
  if (mask == values.inputs.end() || std::count_if(mask, values.inputs.end(), is_mask) > 1) return {};
  return {4 * values.inputs.front().elements() * static_cast<double>(mask->width()), bytes_moved(values)};
}

// Several products of one input, the first, with weights of their own.
NodeWork projections_work(const NodeValues& values) {
  if (values.inputs.empty()) return {};
  NodeWork work{0, bytes_moved(values)};
  for (const ShapedValue& output : values.outputs) {
    work.flops += 2 * output.elements() * static_cast<double>(values.inputs.front().width());
  }
  return work;
}

// The kernel's name, unless it only says that there is none.
std::string kernel_of(const NodeTimer& timer) {
  for (const std::string_view none : {"undef", "unknown"}) {
    if (timer.kernel.starts_with(none)) return "";
  }
  return timer.kernel;
}

std::string shown_name(const NodeTimer& timer, const ExecutedNode* node) {
  std::string name = timer.type;
  if (node != nullptr && is_attention(*node)) {
    name = "fused attention";
  } else if (name == "FullyConnected") {
    name = "linear";
  } else if (name == "Subgraph") {
    name = "fused elementwise";
  } else if (name == "MVN") {
    name = "layer norm";
  } else if (name == "RMS") {
    name = "RMS norm";
  }
  const std::string kernel = kernel_of(timer);
  return kernel.empty() ? name : fmt::format("{} ({})", name, kernel);
}

// By name. Nodes that the library added have no module; they count for that of what reads them, which comes later.
std::map<std::string, std::size_t> scopes_of(const std::vector<ExecutedNode>& executed, GraphScopes& scopes) {
  std::map<std::string, std::size_t> found;
  for (auto node = executed.rbegin(); node != executed.rend(); ++node) {
    std::size_t scope = scopes.scope_of(node->name);
    if (scope == 0) scope = scopes.scope_of_all(split(node->originals, ','));
    for (std::size_t i = 0; scope == 0 && i < node->readers.size(); ++i) {
      const auto reader = found.find(node->readers[i]);
      if (reader != found.end()) scope = reader->second;
    }
    found[node->name] = scope;
  }
  return found;
}

void check_readings(const PassTimers& before, const PassTimers& after) {
  const bool are_of_one = before.nodes.size() == after.nodes.size() &&
                          std::equal(before.nodes.begin(), before.nodes.end(), after.nodes.begin(),
                                     [](const NodeTimer& left, const NodeTimer& right) {
                                       return left.name == right.name && left.mean_us >= 0 && right.mean_us >= 0;
                                     });
  if (are_of_one && before.passes >= 0 && before.passes < after.passes) return;
  throw Error(ErrorKind::kEnvironment,
              "OpenVINO's counters cannot be read: those before and after the passes are of other nodes");
}

}  // namespace

NodeWork work_of(const ExecutedNode& node) {
  if (is_attention(node)) return attention_work(node.values);
  if (node.layer == "FullyConnected" || node.layer == "MatMul") {
    return product_work(node.values, "");  // a weight is always among the inputs
  }
  if (node.layer == "QKVProjection") return projections_work(node.values);
  if (node.layer == "Gather") return lookup_work(node.values);
  const bool moves = std::find(kMoving.begin(), kMoving.end(), node.layer) != kMoving.end();
  return {0, moves ? bytes_moved(node.values) : 0};
}

NodeCounts counted_nodes(const PassTimers& before, const PassTimers& after, const std::vector<ExecutedNode>& executed,
                         const std::map<std::string, NodeWork>& work, GraphScopes scopes) {
  check_readings(before, after);
  const std::map<std::string, std::size_t> places = scopes_of(executed, scopes);
  NodeCounts counts;
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    const NodeTimer& timer = after.nodes[i];
    // Each mean was cut to whole microseconds, so that a node that took next to nothing may come out below 0, as one
    // that never ran does. A product always runs: its calls and operations count, however fast it was.
    const auto own = work.find(timer.name);
    const bool always_runs = own != work.end() && own->second.flops > 0;
    const auto all_us = std::max<std::int64_t>(
        0, timer.mean_us == 0 ? 0 : timer.mean_us * after.passes - before.nodes[i].mean_us * before.passes);
    if (all_us == 0 && !always_runs) continue;
    const auto node =
        std::find_if(executed.begin(), executed.end(), [&](const ExecutedNode& one) { return one.name == timer.name; });
    const auto place = places.find(timer.name);
    CountedNode& counted = counts.nodes.emplace_back();
    counted.scope = place == places.end() ? 0 : place->second;
    counted.name = shown_name(timer, node == executed.end() ? nullptr : &*node);
    counted.calls = after.passes - before.passes;
    counted.self_s = static_cast<double>(all_us) * kSecondsOfUs;
    if (own == work.end()) continue;
    counted.flops = own->second.flops;
    counted.bytes = own->second.bytes;
  }
  counts.scopes = scopes.scopes();
  return counts;
}

}  // namespace transformeter
