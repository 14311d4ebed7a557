// Frames are made from the root down; a frame of a name that is there already becomes part of that.
#include "report/profile_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/display_text.h"

namespace transformeter {
namespace {

bool is_same(const StackFrame& left, const StackFrame& right) {
  return left.kind == right.kind && left.name == right.name;
}

void add_inside(StackFrame& frame, StackFrame child);

// What `child` is belongs to `frame` itself.
void merge(StackFrame& frame, StackFrame child) {
  frame.self_s += child.self_s;
  for (StackFrame& grandchild : child.inside) add_inside(frame, std::move(grandchild));
}

void add_inside(StackFrame& frame, StackFrame child) {
  const auto same = std::find_if(frame.inside.begin(), frame.inside.end(),
                                 [&](const StackFrame& known) { return is_same(known, child); });
  if (same == frame.inside.end()) {
    frame.inside.push_back(std::move(child));
    return;
  }
  same->calls += child.calls;
  same->total_s += child.total_s;
  merge(*same, std::move(child));
}

// What stands on each node.
struct Children {
  explicit Children(const Profile& profile) : nodes(profile.nodes.size()), kernels(profile.nodes.size()) {
    for (std::size_t i = 1; i < profile.nodes.size(); ++i) nodes[profile.nodes[i].parent].push_back(i);
    if (!profile.gpu) return;
    for (const ProfileKernel& kernel : profile.gpu->kernels) kernels[kernel.node].push_back(&kernel);
  }

  std::vector<std::vector<std::size_t>> nodes;
  std::vector<std::vector<const ProfileKernel*>> kernels;
};

StackFrame frame_of(const Profile& profile, const Children& children, std::size_t index) {
  const ProfileNode& node = profile.nodes[index];
  const auto passes = static_cast<double>(profile.passes);
  StackFrame frame{
      node.name,           node.kind, node.phase, static_cast<double>(node.calls) / passes, node.total_s / passes,
      node.self_s / passes};
  for (const ProfileKernel* kernel : children.kernels[index]) {
    const double time_s = kernel->time_s / passes;
    frame.self_s = std::max(0.0, frame.self_s - time_s);
    add_inside(frame, {kernel->name, ProfileNodeKind::kOperator, node.phase,
                       static_cast<double>(kernel->calls) / passes, time_s, time_s});
  }
  for (const std::size_t child : children.nodes[index]) {
    StackFrame inner = frame_of(profile, children, child);
    if (inner.kind == ProfileNodeKind::kModule && is_same(frame, inner)) {
      merge(frame, std::move(inner));
    } else {
      add_inside(frame, std::move(inner));
    }
  }
  return frame;
}

void append_stacks(const StackFrame& frame, const std::string& around, std::string& text) {
  std::string name = one_line(frame.name);
  std::replace(name.begin(), name.end(), ';', ':');
  const std::string stack = around.empty() ? name : around + ";" + name;
  const auto self_ns = static_cast<std::int64_t>(std::llround(frame.self_s * 1e9));
  if (self_ns > 0) text += fmt::format("{} {}\n", stack, self_ns);
  for (const StackFrame& inner : frame.inside) append_stacks(inner, stack, text);
}

}  // namespace

StackFrame stack_frames(const Profile& profile) {
  return frame_of(profile, Children(profile), 0);
}

std::string collapsed_stacks(const Profile& profile) {
  std::string text;
  append_stacks(stack_frames(profile), "", text);
  return text;
}

}  // namespace transformeter
