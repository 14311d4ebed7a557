// Each becomes options of `transformeter plot`.
#include "pipeline/pipeline_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/plain_name.h"
#include "base/text.h"
#include "pipeline/pipeline_nodes.h"
#include "plots/metric_choice.h"
#include "plots/pictures.h"
#include "plots/plot_cases.h"
#include "report/plot_format.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

using NodeKind = PlanNode::Kind;

struct PictureKey {
  const char* name = "";
  bool is_list = false;        // takes several values
  bool is_of_metrics = false;  // not beside `picture`, which chooses its axes itself
  const char* words = "";      // by commas; empty: any
};
constexpr std::array kOptions{PictureKey{"picture"},
                              PictureKey{"y", true, true},
                              PictureKey{"x", false, true},
                              PictureKey{"by", true, true},
                              PictureKey{"log", false, true, "x,y,xy"},
                              PictureKey{"linear", false, true, "true,false"},
                              PictureKey{"where", true},
                              PictureKey{"title"},
                              PictureKey{"names", false, false, "short,full"},
                              PictureKey{"baseline"}};

const PictureKey& option_named(const std::string& name) {
  std::vector<std::string> known{"run", "runs", "file"};
  for (const PictureKey& option : kOptions) {
    if (option.name == name) return option;
    known.emplace_back(option.name);
  }
  throw unknown_value("pictures", name, known);
}

// A map of the list, as its members are read.
struct PictureRequest {
  std::vector<std::string> runs;  // empty: each
  std::string name;               // for its file: the picture's, or the metrics
  std::string file;
  bool is_ready = false;  // has `picture`
  std::vector<std::string> arguments;
};

class PictureReader {
 public:
  PictureReader(const std::filesystem::path& file, const std::vector<std::string>& runs) : file_(file), runs_(runs) {}

  std::vector<PipelinePicture> read(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return {};
    if (node == nullptr) {
      for (const PictureType& type : picture_types())
        add_of_each_run(type.name, {"--picture", type.name}, false, false);
      return std::move(pictures_);
    }
    for (const PlanNode& element : elements_of(*node, "pictures")) {
      if (element.kind == NodeKind::kMap) {
        read_map(element);
      } else {
        const std::string name = picture_type(text_of(element, "pictures")).name;
        add_of_each_run(name, {"--picture", name}, runs_.size() == 1, true);
      }
    }
    return std::move(pictures_);
  }

 private:
  void read_map(const PlanNode& map) {
    PictureRequest request;
    std::set<std::string> seen;
    for (const PlanMember& member : map.members) {
      read_at(file_, member.line, [&] {
        if (!seen.insert(member.key).second) throw pipeline_fault(fmt::format("'{}' is set twice", member.key));
        read_member(member, request);
      });
    }
    if (request.name.empty()) {
      throw pipeline_fault("a picture needs 'picture' or 'y', e.g. '{y: throughput_samples, x: batch_size}'");
    }
    for (const PictureKey& option : kOptions) {
      if (request.is_ready && option.is_of_metrics && seen.count(option.name) != 0) {
        throw pipeline_fault(fmt::format("'{}' cannot be used with 'picture', which chooses its axes", option.name));
      }
    }
    if (!request.runs.empty() || runs_.size() == 1) {
      add(request.runs.empty() ? runs_ : request.runs, request.name, request.arguments, true, request.file);
      return;
    }
    if (!request.file.empty()) throw pipeline_fault("a picture with 'file' needs 'run' too: there are several runs");
    add_of_each_run(request.name, request.arguments, false, true);
  }

  void read_member(const PlanMember& member, PictureRequest& request) const {
    if (member.key == "run" || member.key == "runs") {
      request.runs = chosen_runs(member.value);
    } else if (member.key == "file") {
      request.file = text_of(member.value, "file");
      check_plain_name("file", request.file);
      if (!plot_format_of(request.file))
        throw bad_value("file", request.file, "a name that ends in .svg, .png or .pdf");
    } else {
      read_option(option_named(member.key), member.value, request);
    }
  }

  static void read_option(const PictureKey& option, const PlanNode& node, PictureRequest& request) {
    std::vector<std::string> texts;
    for (const PlanNode& element : elements_of(node, option.name)) texts.push_back(text_of(element, option.name));
    if (!option.is_list && texts.size() > 1) {
      throw pipeline_fault(fmt::format("{} takes a single value", option.name));
    }
    const std::string text = fmt::format("{}", fmt::join(texts, ","));
    const std::vector<std::string> words = split(option.words, ',');
    if (*option.words != '\0' && std::find(words.begin(), words.end(), text) == words.end()) {
      throw unknown_value(option.name, text, words);
    }
    const std::string_view name = option.name;
    if (name == "linear") {
      if (text == "true") request.arguments.emplace_back("--linear");
      return;
    }
    if (name == "picture") picture_type(text);
    if (name == "where") parse_filters("where", text);
    if (name == "baseline") parse_baseline(text);
    if (name == "y") {
      for (const std::string& metric : split(text, ','))
        check_metric_name(std::string(trim(split(metric, ':').front())));
    }
    if (name == "picture" || name == "y") {
      if (!request.name.empty()) throw pipeline_fault("'picture' and 'y' exclude each other");
      request.name = plain_name(text);
      request.is_ready = name == "picture";
    }
    request.arguments.push_back(fmt::format("--{}", name));
    request.arguments.push_back(text);
  }

  std::vector<std::string> chosen_runs(const PlanNode& node) const {
    std::vector<std::string> chosen;
    for (const PlanNode& element : elements_of(node, "run")) {
      const std::string& name = text_of(element, "run");
      if (std::find(runs_.begin(), runs_.end(), name) == runs_.end()) throw unknown_value("run", name, runs_);
      chosen.push_back(name);
    }
    return chosen;
  }

  void add_of_each_run(const std::string& name, const std::vector<std::string>& arguments, bool is_wanted,
                       bool is_asked) {
    for (const std::string& run : runs_) {
      add({run}, name, arguments, is_wanted, "");
      if (is_asked) pictures_.back().asked = name;
    }
  }

  void add(std::vector<std::string> runs, const std::string& name, std::vector<std::string> arguments, bool is_wanted,
           std::string file) {
    if (file.empty()) file = fmt::format("{}-{}.svg", fmt::join(runs, "-"), name);
    for (const PipelinePicture& other : pictures_) {
      if (other.file != file) continue;
      throw pipeline_fault(fmt::format("two pictures have the file '{}'; name one with 'file'", file));
    }
    pictures_.push_back({std::move(runs), std::move(file), std::move(arguments), is_wanted});
  }

  const std::filesystem::path& file_;
  const std::vector<std::string>& runs_;
  std::vector<PipelinePicture> pictures_;
};

}  // namespace

std::vector<PipelinePicture> read_pipeline_pictures(const std::filesystem::path& file, const PlanNode* node,
                                                    const std::vector<std::string>& runs) {
  return PictureReader(file, runs).read(node);
}

}  // namespace transformeter
