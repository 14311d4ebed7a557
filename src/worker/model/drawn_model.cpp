// Padded batches alone.
#include "model/drawn_model.h"

#include <optional>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

class DrawnModel final : public Model {
 public:
  DrawnModel(std::unique_ptr<LibraryGraph> graph, std::vector<GraphInput> inputs, const Blueprint& blueprint)
      : graph_(std::move(graph)),
        inputs_(blueprint, std::move(inputs)),
        blanks_(blueprint.blanks),
        end_(blueprint.end) {}

  std::optional<BlankTokens> blank_tokens() const override { return blanks_; }
  std::optional<EndToken> end_token() const override { return end_; }
  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    if (inputs.cache != nullptr || inputs.is_packed()) {
      throw Error(ErrorKind::kUnsupported, "another library's engine runs padded batches without a key-value cache");
    }
    return graph_->run(inputs_.values(inputs), {0}).front();
  }

  std::optional<ModelReadback> readback() const override { return graph_->readback(); }
  NodeCounters* node_counters() override { return graph_->node_counters(); }

 private:
  std::unique_ptr<LibraryGraph> graph_;
  GraphInputs inputs_;
  std::optional<BlankTokens> blanks_;
  std::optional<EndToken> end_;
};

}  // namespace

std::unique_ptr<Model> make_drawn_model(std::unique_ptr<LibraryGraph> graph, std::vector<GraphInput> inputs,
                                        const Blueprint& blueprint) {
  return std::make_unique<DrawnModel>(std::move(graph), std::move(inputs), blueprint);
}

}  // namespace transformeter
