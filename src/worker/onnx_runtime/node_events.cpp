// Events of a run's nodes stand before that of the run, which ends them. One event at a time is kept as JSON: those of
// many passes would take more memory than the model.
#include "onnx_runtime/node_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/error.h"
#include "onnx_runtime/node_kinds.h"

namespace transformeter {
namespace {

constexpr double kSecondsOfUs = 1e-6;
constexpr std::string_view kKernelTime = "_kernel_time";

// ONNX Runtime's word for a format, and a setting's.
constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"float", "fp32"}, {"double", "fp64"}, {"float16", "fp16"}, {"bfloat16", "bf16"}};

std::string format_name(const std::string& theirs) {
  for (const auto& [known, ours] : kFormats) {
    if (theirs == known) return std::string(ours);
  }
  return theirs;
}

// Rows of queries, each with so many keys.
double keys_times_queries(const ShapedValue& queries, std::int64_t keys) {
  return static_cast<double>(queries.rows()) * static_cast<double>(keys);
}

// Queries [B, T, Cq], keys [B, S, Cq] and values [B, S, Cv].
NodeWork split_attention_work(const NodeValues& values) {
  if (values.inputs.size() < 3) return {};
  const ShapedValue& query = values.inputs[0];
  const ShapedValue& key = values.inputs[1];
  const ShapedValue& value = values.inputs[2];
  for (const ShapedValue* one : {&query, &key, &value}) {
    if (one->shape.size() != 3) return {};
  }
  if (key.width() != query.width() || value.shape[1] != key.shape[1]) return {};
  const double widths = static_cast<double>(query.width()) + static_cast<double>(value.width());
  return {2 * keys_times_queries(query, key.shape[1]) * widths, bytes_moved(values)};
}

bool is_integer(const std::string& format) {
  return format.find("int") != std::string::npos;
}

// Hidden states [B, T, C] times the weights of queries, keys and values side by side, whose bias is as wide as they are
// together; then attention among the tokens. Lengths of rows are as flat as the bias, but whole numbers. The output is
// as wide as the values.
NodeWork joined_attention_work(const NodeValues& values, const std::string& weight_format) {
  const ShapedValue& hidden = values.inputs.front();
  if (values.outputs.empty() || hidden.shape.size() != 3) return {};
  std::int64_t width = 0;
  for (const ShapedValue& input : values.inputs) {
    if (input.shape.size() == 1 && !is_integer(input.format)) width = std::max(width, input.width());
    if (input.shape.size() > 3) return {};  // keys and values of earlier tokens, or a bias of scores
  }
  const std::int64_t value_width = values.outputs.front().width();
  if (width <= value_width) return {};
  const double query_width = static_cast<double>(width - value_width) / 2;
  const NodeValues product{{hidden}, {{hidden.format, {hidden.shape[0], hidden.shape[1], width}}}};
  NodeWork work = product_work(product, weight_format);
  work.flops += 2 * keys_times_queries(hidden, hidden.shape[1]) * (query_width + static_cast<double>(value_width));
  // The product's output stays inside.
  if (work.bytes > 0) work.bytes += values.outputs.front().bytes() - product.outputs.front().bytes();
  return work;
}

std::int64_t microseconds_of(const Json& event, const char* name) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // thirty years
  const auto value = whole_number<std::int64_t>(event.at(name));
  if (!value || *value < 0 || *value > kMost) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} of an event is {}", name, event.at(name).dump()));
  }
  return *value;
}

// One run of one node.
struct NodeEvent {
  std::string name, op;
  std::int64_t begin_us = 0, end_us = 0;
  std::int64_t inside_us = 0;  // of nodes within it
  NodeWork work;
};

NodeEvent node_event(const Json& event) {
  const Json& arguments = event.at("args");
  NodeEvent node;
  event.at("name").get_to(node.name);
  node.name.resize(node.name.size() - kKernelTime.size());
  node.op = arguments.value("op_name", std::string());
  node.begin_us = microseconds_of(event, "ts");
  node.end_us = node.begin_us + microseconds_of(event, "dur");
  node.work =
      work_of(node.op, {shaped_values(arguments, "input_type_shape"), shaped_values(arguments, "output_type_shape")});
  return node;
}

// Each within the shortest one around it.
void take_inner_time(std::vector<NodeEvent>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(), [](const NodeEvent& left, const NodeEvent& right) {
    return left.begin_us != right.begin_us ? left.begin_us < right.begin_us : left.end_us > right.end_us;
  });
  std::vector<NodeEvent*> open;
  for (NodeEvent& node : nodes) {
    while (!open.empty() && open.back()->end_us <= node.begin_us) open.pop_back();
    if (!open.empty()) open.back()->inside_us += node.end_us - node.begin_us;
    open.push_back(&node);
  }
}

class RunSums {
 public:
  RunSums(std::int64_t first, std::int64_t runs, GraphScopes scopes)
      : first_(first), end_(first + runs), scopes_(std::move(scopes)) {}

  void take(const Json& event) {
    if (is_of_node(event)) {
      if (counts_now()) nodes_.push_back(node_event(event));
    } else if (event.value("cat", "") == "Session" && event.value("name", "") == "model_run") {
      end_run(microseconds_of(event, "ts"), microseconds_of(event, "dur"));
    }
  }

  NodeCounts finish() {
    if (run_ < end_) {
      throw unreadable_profile(fmt::format("it holds {} of {} runs", run_, end_), "use fewer --passes");
    }
    counts_.scopes = scopes_.scopes();
    return std::move(counts_);
  }

 private:
  bool counts_now() const { return run_ >= first_ && run_ < end_; }

  void end_run(std::int64_t begin_us, std::int64_t duration_us) {
    if (counts_now()) {
      check_lie_in_run(begin_us, begin_us + duration_us);
      counts_.call_s += static_cast<double>(duration_us) * kSecondsOfUs;
      take_inner_time(nodes_);
      for (const NodeEvent& node : nodes_) add(node);
      nodes_.clear();
    }
    ++run_;
  }

  // Times are cut to whole microseconds, so that what begins last may seem to begin one later than the run ends.
  void check_lie_in_run(std::int64_t begin_us, std::int64_t end_us) const {
    const bool lie_in_it = std::all_of(nodes_.begin(), nodes_.end(), [&](const NodeEvent& node) {
      return begin_us <= node.begin_us && node.begin_us <= end_us + 1;
    });
    if (!lie_in_it) throw Error(ErrorKind::kBadInput, "events of a run lie outside of it");
  }

  void add(const NodeEvent& node) {
    const auto [place, is_new] = places_.try_emplace({node.name, node.op}, counts_.nodes.size());
    if (is_new) counts_.nodes.push_back({.scope = scopes_.scope_of(node.name), .name = node.op});
    CountedNode& counted = counts_.nodes[place->second];
    ++counted.calls;
    counted.self_s +=
        static_cast<double>(std::max<std::int64_t>(0, node.end_us - node.begin_us - node.inside_us)) * kSecondsOfUs;
    counted.flops += node.work.flops;
    counted.bytes += node.work.bytes;
  }

  std::int64_t first_, end_;
  std::int64_t run_ = 0;  // the one whose events come
  GraphScopes scopes_;
  std::vector<NodeEvent> nodes_;                                       // of it
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // by name and operator
  NodeCounts counts_;
};

}  // namespace

void read_events(std::string_view text, const std::function<void(const Json& event)>& take) {
  // The parser takes a NUL byte for the end of its input and ignores what follows it.
  if (text.find('\0') != std::string_view::npos) throw Error(ErrorKind::kBadInput, "it has a NUL byte");
  if (json_depth(text) > kMaxJsonDepth) throw Error(ErrorKind::kBadInput, "it is no list of events");
  const auto callback = [&](int depth, Json::parse_event_t parsed, Json& value) {
    if (depth == 0 && parsed == Json::parse_event_t::object_start) {
      throw Error(ErrorKind::kBadInput, "it is no list of events");
    }
    if (depth != 1 || parsed != Json::parse_event_t::object_end) return true;
    take(value);
    return false;
  };
  const Json rest = Json::parse(text.begin(), text.end(), callback);
  if (!rest.is_array() || !rest.empty()) throw Error(ErrorKind::kBadInput, "it is no list of events");
}

bool is_of_node(const Json& event) {
  return event.value("cat", "") == "Node" && event.value("name", "").ends_with(kKernelTime);
}

std::vector<ShapedValue> shaped_values(const Json& arguments, const char* name) {
  std::vector<ShapedValue> all;
  const Json listed = arguments.value(name, Json::array());
  for (const Json& one : listed) {
    for (const auto& [format, shape] : one.items()) {
      auto sizes = shape.get<std::vector<std::int64_t>>();
      if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; })) {
        throw Error(ErrorKind::kBadInput, fmt::format("{} is {}", name, shape.dump()));
      }
      all.push_back({format_name(format), std::move(sizes)});
    }
  }
  return all;
}

NodeWork work_of(const std::string& op, const NodeValues& values) {
  if (values.inputs.empty()) return {};
  const ProductKind* const kind = find_product_kind(op);
  const std::string weight_format =
      kind == nullptr || kind->weight.empty() ? values.inputs.front().format : std::string(kind->weight);
  if (op == "MultiHeadAttention") return split_attention_work(values);
  if (is_attention(op)) return kind != nullptr ? joined_attention_work(values, weight_format) : NodeWork();
  if (kind != nullptr) return product_work(values, weight_format);
  if (op == "Gather") return lookup_work(values);
  return {0, is_moving(op) ? bytes_moved(values) : 0};
}

Error unreadable_profile(const std::string& why, const std::string& hint) {
  return {ErrorKind::kEnvironment,
          fmt::format("ONNX Runtime's profile of the passes cannot be read ({}); {}", why, hint)};
}

NodeCounts counted_nodes(std::string_view profile, std::int64_t first, std::int64_t runs, GraphScopes scopes) {
  try {
    RunSums sums(first, runs, std::move(scopes));
    read_events(profile, [&](const Json& event) { sums.take(event); });
    return sums.finish();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kEnvironment) throw;
    throw unreadable_profile(error.what());
  } catch (const Json::exception& error) {
    throw unreadable_profile(json_fault(error));
  }
}

}  // namespace transformeter
