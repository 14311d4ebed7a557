// Words come from the table of settings, counts from the list here.
#include "tuning/search_space.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr const char* kEngine = "auto";

bool is_left_open(const Plan& plan, const std::string& name) {
  return plan.has(name) && plan.at(name).values == std::vector<Json>{"auto"};
}

bool has_entry(const Capabilities& capabilities, const std::string& name) {
  const auto engine = capabilities.engines.find(kEngine);
  return engine != capabilities.engines.end() && engine->second.contains(name);
}

// Formats that stand for others, and that of training, are no formats to choose between.
bool is_precision_to_try(const std::string& word, const Json& point, const Capabilities& capabilities) {
  return word != "tf32" && word != "bf16_autocast" &&
         capabilities.is_native("precision", word, point.value("device", "cpu"));
}

// A batch of one row is one chunk, and has all threads.
bool has_one_row(const Json& point) {
  return point.value("batch_size", Json()) == 1;
}

bool cuts_batches(const std::string& name) {
  return name == "streams" || name == "chunk_tokens" || name == "batching";
}

// Other rows in a step make another training.
bool changes_training(const std::string& name, const std::string& word, const Json& point) {
  return name == "batching" && word == "bucketed" && is_train(point);
}

// Chunks that hold a stream's share of a batch of fixed rows are no other than those without a bound.
std::vector<Json> chunk_sizes(const Json& point) {
  const Json length = point.value("sequence_length", Json());
  const Json rows = point.value("batch_size", Json());
  const Json streams = point.value("streams", Json());
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (length.is_number() && rows.is_number() && streams.is_number()) {
    most = length.get<std::int64_t>() * rows.get<std::int64_t>() / streams.get<std::int64_t>();
  }
  const Json own = point.value("chunk_tokens", Json());
  std::vector<Json> sizes;
  if (!own.is_number() || own.get<std::int64_t>() < most) sizes.emplace_back("none");
  for (const std::int64_t size : {128, 256, 512, 1024}) {
    if (size < most) sizes.emplace_back(size);
  }
  return sizes;
}

std::vector<Json> counts_of(const std::string& name, const Json& point) {
  const Json threads = point.value("threads", Json(1));
  if (name == "streams") return {1, threads};
  if (name == "chunk_tokens") return chunk_sizes(point);
  if (name == "threads" && threads.is_number() && threads.get<std::int64_t>() > 1) {
    return {threads.get<std::int64_t>() / 2};
  }
  return {};
}

std::vector<Json> values_of(const std::string& name, const Json& point, const Capabilities& capabilities) {
  const SettingTerm& term = setting_term(name);
  if (term.kind == SettingKind::kCount) return counts_of(name, point);
  std::vector<Json> values;
  for (const std::string& word : setting_words(term)) {
    if (word == "auto") continue;
    if (word == "trial") continue;  // takes one of the other values
    if (changes_training(name, word, point)) continue;
    // The same where the system allows them, else nothing that runs.
    if (name == "huge_pages" && word == "transparent" && point.at(name) == "preferred") continue;
    if (name != "precision" || is_precision_to_try(word, point, capabilities)) values.emplace_back(word);
  }
  return values;
}

// As the named engine chooses `open`, for the precision and the threads that the point has.
Json as_chosen_by(const std::string& engine, Json point, const std::vector<std::string>& open,
                  const Capabilities& capabilities) {
  for (const std::string& name : open) {
    if (name != "precision" && name != "threads") point[name] = "auto";
  }
  point["engine"] = engine;
  capabilities.take_choices_of_engine(point);
  point["engine"] = kEngine;
  if (point.value("streams", Json()) == "threads") point["streams"] = point.at("threads");
  return point;
}

// An engine of another library leaves them to it.
bool chooses_all(const Json& point, const std::vector<std::string>& open) {
  return std::none_of(open.begin(), open.end(), [&](const std::string& name) { return point.at(name) == "auto"; });
}

class Points {
 public:
  explicit Points(const Json& start) : start_(start) {}

  void add(const Json& point) {
    if (point != start_ && std::find(points_.begin(), points_.end(), point) == points_.end()) points_.push_back(point);
  }
  std::vector<Json> take() { return std::move(points_); }

 private:
  const Json& start_;
  std::vector<Json> points_;
};

// How a batch is cut gains most, so it is in the first race where there are several.
std::vector<std::string> those_that_cut_first(std::vector<std::string> names) {
  std::stable_partition(names.begin(), names.end(), cuts_batches);
  return names;
}

// Streams and chunks cut a batch together; packed rows are for streams.
void add_whole_batches(Points& points, const Json& point, const std::vector<std::string>& open) {
  const auto is_open = [&](const char* name) { return std::find(open.begin(), open.end(), name) != open.end(); };
  if (!is_open("streams") || !is_open("chunk_tokens")) return;
  Json whole = point;
  whole["streams"] = 1;
  whole["chunk_tokens"] = "none";
  points.add(whole);
  if (!is_open("batching")) return;
  whole["batching"] = "padded";
  points.add(whole);
}

}  // namespace

OpenSettings open_settings(const Plan& plan, const Json& requested, const Capabilities& capabilities) {
  OpenSettings open;
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (!requested.contains(name) || !is_left_open(plan, name)) continue;
    if (cuts_batches(name) && has_one_row(requested)) continue;
    const bool is_limited = name == "precision" && plan.number("divergence_limit") && !is_train(requested);
    if (!has_entry(capabilities, name) && name != "threads" && !is_limited) continue;
    (term.group == SettingGroup::kLaunch ? open.launch : open.engine).push_back(name);
  }
  return open;
}

std::vector<Json> neighbours(const Json& point, const std::vector<std::string>& group, const OpenSettings& open,
                             const Capabilities& capabilities) {
  Points points(point);
  for (const auto& [engine, choices] : capabilities.engines) {
    if (engine == kEngine) continue;
    const Json other = as_chosen_by(engine, point, group, capabilities);
    if (chooses_all(other, group)) points.add(other);
  }
  add_whole_batches(points, point, group);
  for (const std::string& name : those_that_cut_first(group)) {
    for (const Json& value : values_of(name, point, capabilities)) {
      Json other = point;
      other[name] = value;
      const bool decides_others = name == "precision" || name == "threads";
      points.add(decides_others ? as_chosen_by(kEngine, std::move(other), open.engine, capabilities) : other);
    }
  }
  return points.take();
}

std::vector<Json> combinations(const Json& point, const std::vector<Json>& better) {
  const auto merged = [&](const std::vector<Json>& some) {
    Json all = Json::object();
    for (auto one = some.rbegin(); one != some.rend(); ++one) all.update(changes_from(point, *one));
    Json result = point;
    result.update(all);
    return result;
  };
  Points points(point);
  if (better.size() < 2) return {};
  points.add(merged(better));
  for (std::size_t i = 0; i < better.size(); ++i) {
    for (std::size_t k = i + 1; k < better.size(); ++k) points.add(merged({better[i], better[k]}));
  }
  std::vector<Json> all = points.take();
  std::erase_if(all, [&](const Json& one) { return std::find(better.begin(), better.end(), one) != better.end(); });
  return all;
}

Json changes_from(const Json& start, const Json& point) {
  Json changes = Json::object();
  for (const auto& [name, value] : point.items()) {
    if (start.value(name, Json()) != value) changes[name] = value;
  }
  return changes;
}

}  // namespace transformeter
