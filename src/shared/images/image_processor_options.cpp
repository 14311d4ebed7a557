// Members of preprocessor_config.json, checked one by one with errors that name file and key.
#include "images/image_processor_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "images/image_processor_class.h"

namespace transformeter {
namespace {

// Longer edges are a slip: the largest published models read about 1,000.
constexpr std::int64_t kLongestEdge = 1 << 14;

// A JSON object of a file. A missing member leaves the value as it is.
class ConfigMembers {
 public:
  ConfigMembers(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw bad_value(where_, excerpt(canonical_json(object)), "a JSON object");
  }

  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  Error fault(const char* key, std::string_view expected, std::string_view hint = "") const {
    return bad_value(fmt::format("{}: {}", where_, key), excerpt(canonical_json(object_.at(key))), expected, hint);
  }
  const std::string& where() const { return where_; }

  // Null is false, as in Python.
  void read(const char* key, bool& value) const {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_boolean() && !found->is_null()) throw fault(key, "true or false");
    value = found->is_boolean() && found->get<bool>();
  }
  void read(const char* key, double& value) const {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_number()) throw fault(key, "a number");
    value = found->get<double>();
  }
  // One number for all channels, or one for each.
  void read(const char* key, std::array<double, 3>& channels) const {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (found->is_number()) return channels.fill(found->get<double>());
    const auto is_number = [](const Json& element) { return element.is_number(); };
    if (!found->is_array() || found->size() != channels.size() ||
        !std::all_of(found->begin(), found->end(), is_number)) {
      throw fault(key, "3 numbers");
    }
    for (std::size_t c = 0; c < channels.size(); ++c) channels[c] = (*found)[c].get<double>();
  }

 private:
  const Json& object_;
  std::string where_;
};

std::optional<std::int64_t> edge(const Json& value) {
  const auto number = whole_number<std::int64_t>(value);
  return number && *number >= 1 && *number <= kLongestEdge ? number : std::nullopt;
}

std::string lengths() {
  return fmt::format("with lengths from 1 to {}", kLongestEdge);
}

// {"height": h, "width": w}, or the old [h, w].
std::optional<ImageSize> exact_size(const Json& value) {
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> width;
  if (value.is_object() && value.size() == 2 && value.contains("height") && value.contains("width")) {
    height = edge(value["height"]);
    width = edge(value["width"]);
  } else if (value.is_array() && value.size() == 2) {
    height = edge(value[0]);
    width = edge(value[1]);
  }
  if (!height || !width) return std::nullopt;
  return ImageSize{*height, *width};
}

// {"shortest_edge": s}, also with "longest_edge".
std::optional<EdgeSize> edge_size(const Json& value) {
  if (!value.is_object() || !value.contains("shortest_edge")) return std::nullopt;
  const auto shortest = edge(value["shortest_edge"]);
  if (!shortest) return std::nullopt;
  if (value.size() == 1) return EdgeSize{.shortest = *shortest};
  const auto longest = value.size() == 2 && value.contains("longest_edge") ? edge(value["longest_edge"]) : std::nullopt;
  if (!longest) return std::nullopt;
  return EdgeSize{.shortest = *shortest, .longest = longest};
}

void read_size(const ConfigMembers& config, bool default_to_square, ImageProcessorOptions& options) {
  const Json* found = config.find("size");
  if (found == nullptr) return;
  if (const auto one = edge(*found)) {
    if (default_to_square) {
      options.size = ImageSize{*one, *one};
    } else {
      options.size = EdgeSize{.shortest = *one};
    }
  } else if (const auto exact = exact_size(*found)) {
    options.size = *exact;
  } else if (const auto edges = edge_size(*found)) {
    options.size = *edges;
  } else {
    throw config.fault(
        "size",
        R"({"height", "width"}, {"shortest_edge"}, {"shortest_edge", "longest_edge"} or one number, )" + lengths());
  }
}

// One number is a square here, whatever the class.
void read_crop_size(const ConfigMembers& config, const ImageProcessorClass& kind, ImageProcessorOptions& options) {
  const Json* found = config.find("crop_size");
  if (found == nullptr) {
    if (kind.has_crop_size) return;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: do_center_crop is true, but crop_size is missing, for which {} has "
                            "no default. Add crop_size, e.g. {{\"height\": 224, \"width\": 224}}",
                            config.where(), kind.name));
  }
  if (const auto one = edge(*found)) {
    options.crop_size = {*one, *one};
  } else if (const auto exact = exact_size(*found)) {
    options.crop_size = *exact;
  } else {
    throw config.fault("crop_size", R"({"height", "width"} or one number, )" + lengths());
  }
}

void read_resample(const ConfigMembers& config, ImageProcessorOptions& options) {
  const Json* found = config.find("resample");
  if (found == nullptr) return;
  const auto number = whole_number<int>(*found);
  if (!number || *number < 0 || *number > static_cast<int>(ResampleFilter::kHamming)) {
    throw config.fault("resample", "a filter's number: 0 nearest, 1 lanczos, 2 bilinear, 3 bicubic, 4 box, 5 hamming");
  }
  options.resample = static_cast<ResampleFilter>(*number);
}

void read_resizing(const ConfigMembers& config, const ImageProcessorClass& kind, ImageProcessorOptions& options) {
  bool default_to_square = kind.default_to_square;
  config.read("default_to_square", default_to_square);
  read_size(config, default_to_square, options);
  read_resample(config, options);
  if (convnext_crops(options)) config.read("crop_pct", *options.crop_pct);
}

void refuse_padding(const ConfigMembers& config) {
  bool do_pad = false;
  config.read("do_pad", do_pad);
  if (do_pad) throw config.fault("do_pad", "false", "Padding of images to a common size is not offered");
}

const ImageProcessorClass& read_class(const ConfigMembers& config) {
  for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
    const Json* found = config.find(key);
    if (found == nullptr || found->is_null()) continue;
    if (!found->is_string()) throw config.fault(key, "a class name such as \"ViTImageProcessor\"");
    return find_image_processor_class(found->get_ref<const std::string&>(), config.where());
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: image_processor_type is missing, so the defaults of the other members "
                          "are not known. Add it, e.g. \"ViTImageProcessor\"",
                          config.where()));
}

}  // namespace

ImageProcessorOptions default_image_processor_options(std::int64_t image_size) {
  ImageProcessorOptions options;
  options.size = ImageSize{image_size, image_size};
  return options;
}

Json vit_processor_json(const ImageProcessorOptions& options) {
  const auto json_of = [](const ImageSize& size) { return Json{{"height", size.height}, {"width", size.width}}; };
  return {{"image_processor_type", "ViTImageProcessor"},
          {"do_resize", options.do_resize},
          {"size", json_of(std::get<ImageSize>(options.size))},
          {"resample", static_cast<int>(options.resample)},
          {"do_center_crop", options.do_center_crop},
          {"crop_size", json_of(options.crop_size)},
          {"do_rescale", options.do_rescale},
          {"rescale_factor", options.rescale_factor},
          {"do_normalize", options.do_normalize},
          {"image_mean", options.image_mean},
          {"image_std", options.image_std}};
}

bool convnext_crops(const ImageProcessorOptions& options) {
  const auto* edges = std::get_if<EdgeSize>(&options.size);
  return options.crop_pct && edges != nullptr && edges->shortest < kConvNextStretches;
}

ImageProcessorOptions parse_image_processor_options(const Json& json, const std::string& where) {
  const bool is_nested = json.is_object() && json.contains("image_processor");
  const ConfigMembers config(is_nested ? json.at("image_processor") : json, where);
  const ImageProcessorClass& kind = read_class(config);
  ImageProcessorOptions options = kind.defaults;
  config.read("do_resize", options.do_resize);
  config.read("do_center_crop", options.do_center_crop);
  config.read("do_rescale", options.do_rescale);
  config.read("do_normalize", options.do_normalize);
  if (options.do_resize) read_resizing(config, kind, options);
  if (options.do_center_crop) read_crop_size(config, kind, options);
  if (options.do_rescale) config.read("rescale_factor", options.rescale_factor);
  if (options.do_normalize) {
    config.read("image_mean", options.image_mean);
    config.read("image_std", options.image_std);
  }
  bool do_convert_rgb = true;  // images are RGB once they are decoded
  config.read("do_convert_rgb", do_convert_rgb);
  refuse_padding(config);
  return options;
}

ImageProcessorOptions read_image_processor_options(const std::filesystem::path& path) {
  return parse_image_processor_options(parse_json(path.string(), read_file(path)), path.string());
}

}  // namespace transformeter
