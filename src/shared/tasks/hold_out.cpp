// One draw of units, whatever a unit is.
#include "tasks/hold_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "datasets/media_data.h"

namespace transformeter {
namespace {

// Which units are kept, so that their sizes sum up to `share` of all.
std::vector<bool> draw_units(const std::vector<std::size_t>& sizes, double share, std::uint64_t seed,
                             const std::string& where, const std::string& units) {
  if (!(share > 0 && share < 1))
    throw bad_value("evaluation_share", fmt::format("{}", share), "a share above 0 and below 1");
  if (sizes.size() < 2) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: has {} {}; holding some out needs at least 2", where, sizes.size(), units));
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(seed, "hold_out");
  shuffle(order, random);
  const auto total = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  const double wanted = std::max(1.0, std::round(share * total));
  std::vector<bool> is_kept(sizes.size(), false);
  double kept = 0;
  for (std::size_t i = 0; i + 1 < order.size() && kept < wanted; ++i) {
    is_kept[order[i]] = true;
    kept += static_cast<double>(sizes[order[i]]);
  }
  return is_kept;
}

template <typename Set, typename T>
HeldOut<Set> divide(Set set, std::vector<T> Set::*items, const std::vector<bool>& is_kept) {
  std::vector<T> all = std::exchange(set.*items, {});
  HeldOut<Set> divided{set, set};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ((is_kept[i] ? divided.kept : divided.learnt).*items).push_back(std::move(all[i]));
  }
  return divided;
}

// Each by itself.
template <typename Set, typename T>
HeldOut<Set> divide_singly(Set set, std::vector<T> Set::*items, double share, std::uint64_t seed,
                           const std::string& where, const std::string& units) {
  const std::vector<std::size_t> ones((set.*items).size(), 1);
  return divide(std::move(set), items, draw_units(ones, share, seed, where, units));
}

// In groups, of which `groups` has the number of each item's.
template <typename Set, typename T>
HeldOut<Set> divide_in_groups(Set set, std::vector<T> Set::*items, const std::vector<std::size_t>& groups, double share,
                              std::uint64_t seed, const std::string& where, const std::string& units) {
  std::map<std::size_t, std::size_t> size_of_group;
  for (const std::size_t group : groups) ++size_of_group[group];
  std::vector<std::size_t> sizes;
  std::map<std::size_t, std::size_t> unit_of_group;
  for (const auto& [group, size] : size_of_group) {
    unit_of_group[group] = sizes.size();
    sizes.push_back(size);
  }
  const std::vector<bool> is_group_kept = draw_units(sizes, share, seed, where, units);
  std::vector<bool> is_kept;
  for (const std::size_t group : groups) is_kept.push_back(is_group_kept[unit_of_group.at(group)]);
  return divide(std::move(set), items, is_kept);
}

}  // namespace

HeldOut<DataSet> hold_out(DataSet data, double share, std::uint64_t seed, const std::string& where) {
  if (has_captions(data.task)) {
    const std::vector<std::size_t> images = image_numbers(data.examples);
    return divide_in_groups(std::move(data), &DataSet::examples, images, share, seed, where, "images");
  }
  return divide_singly(std::move(data), &DataSet::examples, share, seed, where, "examples");
}

HeldOut<TaggedSentenceSet> hold_out(TaggedSentenceSet set, double share, std::uint64_t seed, const std::string& where) {
  return divide_singly(std::move(set), &TaggedSentenceSet::sentences, share, seed, where, "sentences");
}

HeldOut<QuestionSet> hold_out(QuestionSet set, double share, std::uint64_t seed, const std::string& where) {
  std::vector<std::size_t> groups;
  for (const Question& question : set.questions) groups.push_back(question.group);
  const std::string units = set.groups;
  return divide_in_groups(std::move(set), &QuestionSet::questions, groups, share, seed, where, units);
}

}  // namespace transformeter
