// Images: the software GPU has no texture units.
#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu::api {

static constexpr const char* kNoImages = "the software GPU has no images";

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t, hsa_ext_image_geometry_t, const hsa_ext_image_format_t*,
                                          uint32_t*) {
  report_unsupported("hsa_ext_image_get_capability", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t, const hsa_ext_image_descriptor_t*, hsa_access_permission_t,
                                         hsa_ext_image_data_info_t*) {
  report_unsupported("hsa_ext_image_data_get_info", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*, hsa_access_permission_t,
                                  hsa_ext_image_t*) {
  report_unsupported("hsa_ext_image_create", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_import(hsa_agent_t, const void*, size_t, size_t, hsa_ext_image_t,
                                  const hsa_ext_image_region_t*) {
  report_unsupported("hsa_ext_image_import", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_export(hsa_agent_t, hsa_ext_image_t, void*, size_t, size_t, const hsa_ext_image_region_t*) {
  report_unsupported("hsa_ext_image_export", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t, hsa_ext_image_t, const hsa_dim3_t*, hsa_ext_image_t, const hsa_dim3_t*,
                                const hsa_dim3_t*) {
  report_unsupported("hsa_ext_image_copy", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_clear(hsa_agent_t, hsa_ext_image_t, const void*, const hsa_ext_image_region_t*) {
  report_unsupported("hsa_ext_image_clear", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t, hsa_ext_image_t) {
  report_unsupported("hsa_ext_image_destroy", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t, const hsa_ext_sampler_descriptor_t*, hsa_ext_sampler_t*) {
  report_unsupported("hsa_ext_sampler_create", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t, const hsa_ext_sampler_descriptor_v2_t*, hsa_ext_sampler_t*) {
  report_unsupported("hsa_ext_sampler_create_v2", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t, hsa_ext_sampler_t) {
  report_unsupported("hsa_ext_sampler_destroy", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t, hsa_ext_image_geometry_t,
                                                      const hsa_ext_image_format_t*, hsa_ext_image_data_layout_t,
                                                      uint32_t*) {
  report_unsupported("hsa_ext_image_get_capability_with_layout", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t*,
                                                     hsa_access_permission_t, hsa_ext_image_data_layout_t, size_t,
                                                     size_t, hsa_ext_image_data_info_t*) {
  report_unsupported("hsa_ext_image_data_get_info_with_layout", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*,
                                              hsa_access_permission_t, hsa_ext_image_data_layout_t, size_t, size_t,
                                              hsa_ext_image_t*) {
  report_unsupported("hsa_ext_image_create_with_layout", kNoImages);
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*, const hsa_amd_image_descriptor_t*,
                                  const void*, hsa_access_permission_t, hsa_ext_image_t*) {
  report_unsupported("hsa_amd_image_create", kNoImages);
  return HSA_STATUS_ERROR;
}

}  // namespace kernloop::softgpu::api
