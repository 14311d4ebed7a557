// Two panels on one axis of time: weights would flatten what a pass allocates. Memory changes in steps, so that each
// stretch between two points is a box.
#include "plots/memory_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/profile_memory.h"
#include "base/units.h"
#include "report/plot_colours.h"

namespace transformeter {
namespace {

constexpr int kWidth = 640;

struct Stretch {
  double begin_s = 0;
  double end_s = 0;
  double bytes = 0;
  double own_bytes = 0;
  std::optional<ProfileStage> stage;
};

std::optional<ProfileStage> stage_at(const ProfileMemory& memory, double time_s) {
  for (const StageTime& one : memory.stages) {
    if (one.begin_s <= time_s && time_s < one.end_s) return one.stage;
  }
  return std::nullopt;
}

// At most one for each pixel, with the most bytes of its time; neighbours that are alike are one.
std::vector<Stretch> stretches_of(const ProfileMemory& memory) {
  const double pixel_s = memory.timeline.back().time_s / kWidth;
  std::vector<Stretch> all;
  for (std::size_t i = 0; i + 1 < memory.timeline.size(); ++i) {
    const MemoryPoint& point = memory.timeline[i];
    const Stretch next{point.time_s, memory.timeline[i + 1].time_s, point.bytes, point.own_bytes,
                       stage_at(memory, point.time_s)};
    if (next.end_s <= next.begin_s) continue;
    Stretch* last = all.empty() ? nullptr : &all.back();
    const bool is_alike =
        last != nullptr && last->stage == next.stage && last->bytes == next.bytes && last->own_bytes == next.own_bytes;
    const bool is_narrow = last != nullptr && last->end_s - last->begin_s < pixel_s;
    if (!is_alike && !is_narrow) {
      all.push_back(next);
      continue;
    }
    last->end_s = next.end_s;
    if (next.bytes > last->bytes) last->stage = next.stage;
    last->bytes = std::max(last->bytes, next.bytes);
    last->own_bytes = std::max(last->own_bytes, next.own_bytes);
  }
  return all;
}

// Those of stages after that of what was there, and before that of what lies outside of stages.
PlotRole role_of(const std::optional<ProfileStage>& stage) {
  return series_role(stage ? static_cast<std::size_t>(*stage) + 1 : 0);
}

// Each reaches half a pixel into the next, so that no line shows between them.
void add_box(Plot& plot, const Stretch& one, double from, double to, PlotRole role) {
  if (to <= from) return;
  plot.boxes.push_back(
      {one.begin_s, std::min(plot.x.to, one.end_s + plot.x.to / kWidth / 2), from, to, role, std::nullopt});
}

Panel& add_panel(Picture& picture, const std::string& title, const ProfileMemory& memory, double most, int height) {
  Panel& panel = picture.panels.emplace_back();
  panel.width = kWidth;
  panel.height = height;
  panel.figure.title = title;
  Plot& plot = panel.figure.plot;
  plot.x = make_axis({"time", "s", 0, memory.timeline.back().time_s, false, true});
  plot.x.to = memory.timeline.back().time_s;
  plot.y = make_axis({"live", "bytes", 0, most, false, true});
  plot.y.has_grid = true;
  plot.vertical = {memory.peak_s};
  return panel;
}

std::vector<LegendEntry> legend_of(const std::vector<Stretch>& stretches, const std::string& unit) {
  std::vector<LegendEntry> legend{{PlotRole::kContext, false, fmt::format("there before the {}", unit)}};
  const auto has = [&](const std::optional<ProfileStage>& stage) {
    return std::any_of(stretches.begin(), stretches.end(), [&](const Stretch& one) { return one.stage == stage; });
  };
  for (const ProfileStageName& known : kProfileStageNames) {
    if (has(known.stage)) legend.push_back({role_of(known.stage), false, std::string(known.name)});
  }
  const char* rest = legend.size() > 1 ? "outside of stages" : "allocated in it";
  if (has(std::nullopt)) legend.push_back({role_of(std::nullopt), false, rest});
  return legend;
}

std::string held_note(const Profile& profile) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> parts;
  for (const HeldRow& row : held_rows(profile)) {
    if (parts.size() == kNamed) break;
    parts.push_back(fmt::format("{} {}", format_bytes(row.bytes), held_name(row)));
  }
  return parts.empty() ? "" : fmt::format("Most of the rest: {}.", fmt::join(parts, "; "));
}

}  // namespace

Picture memory_picture(const Profile& profile, const std::string& label) {
  const ProfileMemory& memory = *profile.memory;
  const std::string& unit = profile.nodes.front().name;
  const std::vector<Stretch> stretches = stretches_of(memory);
  Picture picture;
  picture.title = fmt::format("Memory of tensors over one {}: {}", unit, label);
  picture.has_areas = true;
  picture.legend = legend_of(stretches, unit);
  Plot& whole = add_panel(picture, "all", memory, memory.peak_bytes, 120).figure.plot;
  for (const Stretch& one : stretches) {
    const double earlier_bytes = one.bytes - one.own_bytes;
    add_box(whole, one, 0, earlier_bytes, PlotRole::kContext);
    add_box(whole, one, earlier_bytes, one.bytes, role_of(one.stage));
  }
  const auto most = std::max_element(
      memory.timeline.begin(), memory.timeline.end(),
      [](const MemoryPoint& left, const MemoryPoint& right) { return left.own_bytes < right.own_bytes; });
  Panel& own = add_panel(picture, fmt::format("allocated in the {}", unit), memory, most->own_bytes, 240);
  for (const Stretch& one : stretches) add_box(own.figure.plot, one, 0, one.own_bytes, role_of(one.stage));
  picture.notes.push_back(fmt::format("Line: {}.", memory_text(profile)));
  if (const std::string note = held_note(profile); !note.empty()) picture.notes.push_back(note);
  own.figure.description = picture.notes.front() + " ";
  return picture;
}

}  // namespace transformeter
