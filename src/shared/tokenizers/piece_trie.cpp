// Built breadth first from the sorted words, so that the children of a node stand together.
#include "tokenizers/piece_trie.h"

#include <algorithm>
#include <utility>

namespace transformeter {
namespace {

// The words that share the node's bytes: a stretch of the sorted list.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 0;  // bytes they share
};

}  // namespace

PieceTrie::PieceTrie(const Vocabulary& words) {
  std::vector<std::pair<std::string_view, std::int32_t>> sorted;
  for (std::int32_t id = 0; id < words.size(); ++id) {
    if (!words.token(id).empty()) sorted.emplace_back(words.token(id), id);
  }
  std::sort(sorted.begin(), sorted.end());
  roots_.fill(kNone);
  std::vector<Stretch> stretches;  // one for each node
  const auto add_children = [&](Stretch parent) {
    std::uint16_t count = 0;
    for (std::size_t begin = parent.begin; begin < parent.end; ++count) {
      const auto byte = static_cast<unsigned char>(sorted[begin].first[parent.depth]);
      std::size_t end = begin;
      while (end < parent.end && static_cast<unsigned char>(sorted[end].first[parent.depth]) == byte) ++end;
      Node node;
      node.byte = byte;
      if (sorted[begin].first.size() == parent.depth + 1) node.id = sorted[begin++].second;
      nodes_.push_back(node);
      stretches.push_back({begin, end, parent.depth + 1});
      begin = end;
    }
    return count;
  };
  add_children({0, sorted.size(), 0});
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) roots_[nodes_[i].byte] = i;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    const std::uint16_t count = add_children(stretches[i]);
    nodes_[i].first_child = first;
    nodes_[i].child_count = count;
  }
}

std::uint32_t PieceTrie::child_of(const Node& parent, unsigned char byte) const {
  const auto begin = nodes_.begin() + parent.first_child;
  const auto end = begin + parent.child_count;
  const auto found =
      std::lower_bound(begin, end, byte, [](const Node& node, unsigned char b) { return node.byte < b; });
  if (found == end || found->byte != byte) return kNone;
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

}  // namespace transformeter
