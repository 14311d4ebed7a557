// From ONNX Runtime's profile, a list of events as JSON, to what each node took.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "model/graph_scopes.h"
#include "model/node_counters.h"
#include "model/node_work.h"

namespace transformeter {

/// Calls `take` with each event, in the file's order. Throws Error(kBadInput) for a text that is no list of events or
/// cut off, Json::exception, and what `take` throws.
void read_events(std::string_view text, const std::function<void(const Json& event)>& take);

/// Whether the event is the run of a node's kernel.
bool is_of_node(const Json& event);

/// What a node's event says of its inputs or outputs ("input_type_shape"), with formats in a setting's words. Throws
/// Json::exception, and Error(kBadInput) for sizes below 0.
std::vector<ShapedValue> shaped_values(const Json& arguments, const char* name);

/// FLOPs are those of products with weights, of products of activations and of attention.
NodeWork work_of(const std::string& op, const NodeValues& values);

/// kEnvironment: that the profile of passes whose nodes count cannot be read, why, and what to do.
Error unreadable_profile(const std::string& why, const std::string& hint = "is the disk of temporary files full?");

/// Sums over `runs` runs of the session, from that with the number `first`, 0 being its first. A node within another
/// one, of a loop or a branch, takes its time from that. Throws Error(kEnvironment) for a profile that is malformed, is
/// cut off, lacks one of these runs, or has nodes of a run that began outside of it.
NodeCounts counted_nodes(std::string_view profile, std::int64_t first, std::int64_t runs, GraphScopes scopes);

}  // namespace transformeter
