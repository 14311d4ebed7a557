// FNet (Lee-Thorp et al. 2021, arXiv:2105.03824): an encoder that mixes tokens by a Fourier transform, without
// attention.
#pragma once

#include <transformeter/worker.h>

#include <memory>
#include <string>

namespace example {

/// How config.json of model_type "fnet" is read, its parameters, and the presets fnet-test and fnet-base.
transformeter::Architecture fnet_architecture();

/// The module; tasks sequence_classification and embedding.
std::unique_ptr<transformeter::Model> make_fnet(const transformeter::ModelConfig& config, transformeter::Task task,
                                                const transformeter::Parameters& parameters);

}  // namespace example
