// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The header of a Raspberry Pi 3, for a kernel on a machine that has none.
 *
 * The lines themselves are gpio-sim's. What is added here is what a Pi has beside them:
 *
 *   - the chip is there from the start, under the name that a Pi's kernel gives it;
 *   - /sys/firmware/devicetree says which Pi this is, and /proc/device-tree is a link to it, also on a PC;
 *   - a line that was an output stays as it was when whoever had it lets go or is killed, unless
 *     pinctrl_bcm2835.persist_gpio_outputs=N, which is what dtparam=strict_gpiod comes to;
 *   - the first I2C bus that is added is number 1;
 *   - SPI bus 0 on lines 8, 10 and 11, with one chip;
 *   - switches: "23 5" written to /sys/kernel/switches/close joins two lines, so that a key of a matrix can be pressed,
 *     and "17" joins one to ground, as a button does; written to .../open they part again. Who claims a line, or changes
 *     its resistor, does not let go of what a finger holds.
 */

#include <linux/bitmap.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/i2c.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/pinctrl/pinconf-generic.h>
#include <linux/platform_device.h>
#include <linux/proc_fs.h>
#include <linux/property.h>
#include <linux/spi/spi.h>
#include <linux/spi/spi_gpio.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#endif

#define LINES 54
#define LABEL "pinctrl-bcm2835"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "pinctrl_bcm2835."

static bool persist_gpio_outputs = true;
module_param(persist_gpio_outputs, bool, 0444);

static struct gpio_chip *header;
static struct gpio_chip sim; /* gpio-sim's own functions */

/* Everything below is changed and read under this lock. gpio-sim's lines may sleep, so may we. */
static DEFINE_MUTEX(wires);
static DECLARE_BITMAP(is_output, LINES);
static DECLARE_BITMAP(is_high, LINES); /* of an output: what it drives; of an input: where its own resistor pulls */
static DECLARE_BITMAP(pulls_up, LINES);
static DECLARE_BITMAP(is_grounded, LINES);
static bool is_closed[LINES][LINES];
static unsigned int switches_at[LINES];

/* gpio-sim moves an input, and makes its edge, when it is pulled. */
static void pull(unsigned int line, bool high)
{
	sim.set_config(header, line, PIN_CONF_PACKED(high ? PIN_CONFIG_BIAS_PULL_UP : PIN_CONFIG_BIAS_PULL_DOWN, 1));
}

/* An input goes to ground, or where an output that it is joined to drives it, low before high; else its resistor pulls. */
static void settle(unsigned int line)
{
	bool high = test_bit(line, pulls_up);
	unsigned int other;

	if (test_bit(line, is_output))
		return;
	for_each_set_bit(other, is_output, LINES) {
		if (!is_closed[line][other])
			continue;
		high = test_bit(other, is_high);
		if (!high)
			break;
	}
	pull(line, high && !test_bit(line, is_grounded));
}

static void settle_all_joined(void)
{
	unsigned int line;

	for (line = 0; line < LINES; line++)
		if (switches_at[line])
			settle(line);
}

static void pi_set(struct gpio_chip *gc, unsigned int line, int value)
{
	mutex_lock(&wires);
	sim.set(gc, line, value);
	__assign_bit(line, is_high, value);
	settle_all_joined();
	mutex_unlock(&wires);
}

static void pi_set_multiple(struct gpio_chip *gc, unsigned long *mask, unsigned long *bits)
{
	mutex_lock(&wires);
	sim.set_multiple(gc, mask, bits);
	bitmap_replace(is_high, is_high, bits, mask, LINES);
	settle_all_joined();
	mutex_unlock(&wires);
}

static int pi_direction_output(struct gpio_chip *gc, unsigned int line, int value)
{
	mutex_lock(&wires);
	sim.direction_output(gc, line, value);
	__set_bit(line, is_output);
	__assign_bit(line, is_high, value);
	settle_all_joined();
	mutex_unlock(&wires);
	return 0;
}

static void become_input(struct gpio_chip *gc, unsigned int line)
{
	sim.direction_input(gc, line);
	if (!test_and_clear_bit(line, is_output))
		return;
	settle(line);
	settle_all_joined();
}

static int pi_direction_input(struct gpio_chip *gc, unsigned int line)
{
	mutex_lock(&wires);
	become_input(gc, line);
	mutex_unlock(&wires);
	return 0;
}

static int pi_set_config(struct gpio_chip *gc, unsigned int line, unsigned long config)
{
	enum pin_config_param param = pinconf_to_config_param(config);

	if (param != PIN_CONFIG_BIAS_PULL_UP && param != PIN_CONFIG_BIAS_PULL_DOWN)
		return sim.set_config(gc, line, config);
	mutex_lock(&wires);
	__assign_bit(line, pulls_up, param == PIN_CONFIG_BIAS_PULL_UP);
	settle(line);
	mutex_unlock(&wires);
	return 0;
}

static void pi_free(struct gpio_chip *gc, unsigned int line)
{
	mutex_lock(&wires);
	if (!test_bit(line, is_output)) {
		sim.free(gc, line);
	} else if (!persist_gpio_outputs) {
		sim.free(gc, line);
		become_input(gc, line);
	}
	mutex_unlock(&wires);
}

static int is_header(struct gpio_chip *gc, void *data)
{
	return !strcmp(gc->label, LABEL);
}

static void ground(unsigned int line, bool close)
{
	if (test_bit(line, is_grounded) == close)
		return;
	__assign_bit(line, is_grounded, close);
	switches_at[line] += close ? 1 : -1;
	settle(line);
}

static ssize_t throw_switch(const char *between, size_t len, bool close)
{
	unsigned int a, b;
	int lines = sscanf(between, "%u %u", &a, &b);

	if (lines < 1 || a >= LINES || (lines == 2 && (b >= LINES || a == b)))
		return -EINVAL;
	mutex_lock(&wires);
	if (lines == 1) {
		ground(a, close);
		mutex_unlock(&wires);
		return len;
	}
	if (is_closed[a][b] != close) {
		is_closed[a][b] = is_closed[b][a] = close;
		switches_at[a] += close ? 1 : -1;
		switches_at[b] += close ? 1 : -1;
		settle(a);
		settle(b);
	}
	mutex_unlock(&wires);
	return len;
}

static ssize_t close_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf, size_t len)
{
	return throw_switch(buf, len, true);
}

static ssize_t open_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf, size_t len)
{
	return throw_switch(buf, len, false);
}

static struct kobj_attribute close_attribute = __ATTR_WO(close);
static struct kobj_attribute open_attribute = __ATTR_WO(open);
static struct attribute *switch_attributes[] = { &close_attribute.attr, &open_attribute.attr, NULL };
static const struct attribute_group switch_group = { .attrs = switch_attributes };

#ifdef CONFIG_OF /* then the machine has a device tree */
static void __init add_device_tree(void)
{
}
#else
static ssize_t read_property(struct file *file, struct kobject *kobj, struct bin_attribute *property, char *buf,
			     loff_t offset, size_t count)
{
	return memory_read_from_buffer(buf, count, &offset, property->private, property->size);
}

/* Strings of a device tree end with a zero byte, which sizeof counts too. */
#define PROPERTY(_name, _value) { \
	.attr = { .name = _name, .mode = 0444 }, .size = sizeof(_value), .private = _value, .read = read_property \
}

static u8 revision_code[] = { 0x00, 0xa0, 0x20, 0x82 };
static struct bin_attribute model = PROPERTY("model", "Raspberry Pi 3 Model B Rev 1.2");
static struct bin_attribute compatible = PROPERTY("compatible", "raspberrypi,3-model-b\0brcm,bcm2837");
static struct bin_attribute revision = PROPERTY("linux,revision", revision_code);

static void __init add_device_tree(void)
{
	struct kobject *base = kobject_create_and_add("base", kobject_create_and_add("devicetree", firmware_kobj));

	if (sysfs_create_bin_file(base, &model) || sysfs_create_bin_file(base, &compatible) ||
	    sysfs_create_bin_file(kobject_create_and_add("system", base), &revision))
		pr_err("the device tree is not complete\n");
	proc_symlink("device-tree", NULL, "/sys/firmware/devicetree/base");
}
#endif

/* spidev has no name of its own for a chip that is only written to, so it is called a DAC. */
static struct spi_board_info spi_chip = { .modalias = "dh2228fv", .max_speed_hz = 10000000 };
static struct spi_gpio_platform_data spi_bus = { .num_chipselect = 1 };
static struct gpiod_lookup_table spi_lines = {
	.dev_id = "spi_gpio.0",
	.table = {
		GPIO_LOOKUP(LABEL, 8, "cs", GPIO_ACTIVE_HIGH), /* the driver itself turns it round */
		GPIO_LOOKUP(LABEL, 10, "mosi", GPIO_ACTIVE_HIGH),
		GPIO_LOOKUP(LABEL, 11, "sck", GPIO_ACTIVE_HIGH),
		{ }
	},
};

static const struct software_node pi_node = { .name = "raspberry-pi" };
static const struct property_entry header_properties[] = {
	PROPERTY_ENTRY_U32("ngpios", LINES),
	PROPERTY_ENTRY_STRING("gpio-sim,label", LABEL),
	{ }
};
static const struct software_node header_node = {
	.name = "header", .parent = &pi_node, .properties = header_properties,
};
static const struct software_node *nodes[] = { &pi_node, &header_node, NULL };

#ifdef CONFIG_X86_LOCAL_APIC
/* QEMU's APIC counts nanoseconds. To measure that, the kernel would poll for 0.1 s, which takes QEMU 12 s. */
static int __init set_apic_period(char *unused)
{
	lapic_timer_period = NSEC_PER_SEC / HZ;
	return 0;
}
early_param("raspberry_pi.apic_ns", set_apic_period);
#endif

static int __init reserve_bus_0(void)
{
	return i2c_register_board_info(0, NULL, 0);
}
arch_initcall(reserve_bus_0);

static int __init add_header(void)
{
	struct platform_device_info info = { .name = "gpio-sim", .id = PLATFORM_DEVID_NONE };
	struct platform_device *device;
	struct kobject *switches;
	unsigned int line;
	int ret;

	ret = software_node_register_node_group(nodes);
	if (ret)
		return ret;
	info.fwnode = software_node_fwnode(&pi_node);
	device = platform_device_register_full(&info);
	if (IS_ERR(device))
		return PTR_ERR(device);
	header = gpiochip_find(NULL, is_header);
	if (!header)
		return -ENODEV;

	sim = *header;
	header->set = pi_set;
	header->set_multiple = pi_set_multiple;
	header->direction_output = pi_direction_output;
	header->direction_input = pi_direction_input;
	header->set_config = pi_set_config;
	header->free = pi_free;
	/* When a Pi wakes up, lines 0 to 8 are pulled up and the others down. */
	for (line = 0; line <= 8; line++)
		pi_set_config(header, line, PIN_CONF_PACKED(PIN_CONFIG_BIAS_PULL_UP, 1));

	gpiod_add_lookup_table(&spi_lines);
	spi_register_board_info(&spi_chip, 1);
	device = platform_device_register_data(NULL, "spi_gpio", 0, &spi_bus, sizeof(spi_bus));
	if (IS_ERR(device))
		return PTR_ERR(device);
	add_device_tree();
	switches = kobject_create_and_add("switches", kernel_kobj);
	if (!switches)
		return -ENOMEM;
	return sysfs_create_group(switches, &switch_group);
}
late_initcall(add_header);
