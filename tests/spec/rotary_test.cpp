// Frequencies of every kind of scaling against Transformers' own.
#include "spec/rotary.h"

#include "base/files.h"
#include "spec/read_rotary.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

TEST(Rotary, FrequenciesAreThoseOfTransformers) {
  const auto path = models_folder() / "rotary.json";
  const Json reference = parse_json(path.string(), read_file(path));
  ASSERT_EQ(reference.at("cases").size(), 14u);
  for (const Json& one : reference.at("cases")) {
    SCOPED_TRACE(one.at("kind").get<std::string>() + " " + one.at("tokens").dump());
    const Json config = {{"rope_parameters", one.at("rope_parameters")}};
    const RotarySpec spec =
        read_rotary(ConfigReader(config, "test"), reference.at("head_dim"), reference.at("max_position_embeddings"));
    EXPECT_NEAR(spec.attention_factor, one.at("attention_factor").get<double>(), 1e-12);
    const std::vector<double> found = rotary_frequencies(spec, one.at("tokens"));
    const auto expected = one.at("frequencies").get<std::vector<double>>();
    ASSERT_EQ(found.size(), expected.size());
    // The original computes in fp32.
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-6 * expected[i]) << i;
  }
}

TEST(Rotary, OlderFilesHaveThetaAndScalingApart) {
  const Json older = {{"rope_theta", 5000.0}, {"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}};
  const Json newer = {{"rope_parameters", {{"rope_type", "linear"}, {"rope_theta", 5000.0}, {"factor", 2.0}}}};
  EXPECT_EQ(read_rotary(ConfigReader(older, "older"), 16, 64), read_rotary(ConfigReader(newer, "newer"), 16, 64));
}

}  // namespace
}  // namespace transformeter
