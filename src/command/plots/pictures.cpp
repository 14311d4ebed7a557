// The table: a row for each picture.
#include "plots/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "plots/metric_picture.h"

namespace transformeter {
namespace {

constexpr const char* kSweep = "transformeter run --batch-size 1,2,4,8";
constexpr const char* kTraining = "transformeter train --batch-size 4,8,16";

constexpr std::array kPictures{
    PictureType{"six-panel", "time, throughput, memory and more against batch size, six panels at most",
                "a setting that varies", kSweep, false, six_panel_picture},
    PictureType{"heat-map", "metrics of each case, shaded from the least to the greatest of its column", "two cases",
                kSweep, false, heat_map_picture},
    PictureType{"memory", "parts of the memory against batch size, six panels at most", "a setting that varies", kSweep,
                false, memory_picture},
    PictureType{"padding", "speed-up and memory saved against padding", "two values of padding and a baseline",
                "transformeter run padding-sweep", false, padding_picture},
    PictureType{"padding-grid", "the same for each task and length, a row each", "two values of padding and a baseline",
                "transformeter run padding-sweep", false, padding_grid_picture},
    PictureType{"precision", "time, throughput, memory and differences of each precision", "two precisions",
                "transformeter run --precision fp32,bf16", false, precision_picture},
    PictureType{"devices", "time, throughput, memory and energy of each device", "two devices",
                "transformeter run --device cpu,cuda", false, devices_picture},
    PictureType{"energy", "energy per sample and per token against batch size", "an energy counter",
                "transformeter doctor", false, energy_picture},
    PictureType{"pareto", "accuracy, else throughput, against time; cases that no other case beats in both",
                "two cases with a time", kSweep, false, pareto_picture},
    PictureType{"roofline", "operations per second against operations per byte, below the measured peaks",
                "cases that ran after 'transformeter peaks'", "transformeter peaks && transformeter run", true,
                roofline_picture},
    PictureType{"ecdf", "the share of samples that took at most a time, a line for each case", "samples of latency",
                kSweep, true, ecdf_picture},
    PictureType{"time-series", "samples in the order of measuring, a panel for each case", "samples of latency", kSweep,
                true, time_series_picture},
    PictureType{"loss", "the loss of each training step, a line for each case", "training cases", kTraining, true,
                loss_picture},
    PictureType{"time-breakdown", "data, forward, backward and optimizer times of a step, stacked", "training cases",
                kTraining, false, time_breakdown_picture},
};

}  // namespace

std::span<const PictureType> picture_types() {
  return kPictures;
}

const PictureType& picture_type(const std::string& name) {
  std::vector<std::string> names;
  for (const PictureType& type : kPictures) {
    if (name == type.name) return type;
    names.emplace_back(type.name);
  }
  throw unknown_value("--picture", name, names);
}

Picture ready_picture(const PictureType& type, const PlotCases& cases) {
  PictureAnswer answer = type.make(cases);
  if (!answer.picture) {
    throw Error(ErrorKind::kUnsupported, fmt::format("picture '{}' needs {}, which run {} lacks; try '{}'", type.name,
                                                     answer.missing.empty() ? type.needs : answer.missing,
                                                     fmt::join(cases.runs, ", "), type.command));
  }
  for (std::string& note : source_notes(cases)) answer.picture->notes.push_back(std::move(note));
  return std::move(*answer.picture);
}

}  // namespace transformeter
